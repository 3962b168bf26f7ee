// SPDX-License-Identifier: Apache-2.0
// Something to call that is not compiled again for each that it is: loops over pieces of work and rows take one, loops over
// pixels do not.
#pragma once
#include <memory>
#include <type_traits>
#include <utility>

namespace skerry {

template <class Signature>
class function_ref;

// Refers to a function object, which outlives the call that this is an argument of.
template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
 public:
  template <class Function>
  // NOLINTNEXTLINE(*-explicit-constructor,*-explicit-conversions,*-forwarding-reference-overload)
  requires(!std::is_same_v<std::remove_cvref_t<Function>, function_ref>) function_ref(Function&& function)
      : function_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
        call_([](void* called, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Function>*>(called))(std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const { return call_(function_, std::forward<Arguments>(arguments)...); }

 private:
  void* function_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace skerry
