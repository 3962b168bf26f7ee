// SPDX-License-Identifier: Apache-2.0
// Streams. No function of Python is called by the threads of a tracker, so that none of them ever waits for the GIL.
#include "skerry/track.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <mutex>
#include <string>

#include "bind/arguments.hpp"
#include "bind/array.hpp"
#include "bind/engine.hpp"
#include "bind/label.hpp"
#include "bind/table.hpp"
#include "bind/without_gil.hpp"
#include "skerry/error.hpp"

namespace skerry::python {
namespace {

constexpr std::uint64_t most_u32 = std::numeric_limits<std::uint32_t>::max();

// A result of its own: the tracker needs the memory of the one that was copied.
struct held_frame {
  frame_result result;
  std::vector<std::uint32_t> labels;

  explicit held_frame(const frame_result& from) : result(from) {
    if (from.labels.data != nullptr) {
      const auto* const ids = static_cast<const std::uint32_t*>(from.labels.data);
      labels.assign(ids, ids + from.labels.size.pixels());
    }
    result.image = result.labels = {};
  }
};
using shared_frame = std::shared_ptr<held_frame>;

// Ids and births before the features of the same objects.
class object_columns final : public component_columns {
 public:
  shared_frame frame;

  [[nodiscard]] std::size_t rows() const override { return frame->result.objects.size(); }

  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> all = {"id", "parent", "born"};
    for (std::string& name : component_columns::names()) all.push_back(std::move(name));
    return all;
  }

 protected:
  [[nodiscard]] nb::object own_column(const std::string& name) const override {
    if (name == "id") return numbers([](const tracked_object& object) { return object.id; });
    if (name == "parent") return numbers([](const tracked_object& object) { return object.parent; });
    if (name == "born") return numbers([](const tracked_object& object) { return object.born; });
    return {};
  }

 private:
  template <class Part>
  [[nodiscard]] nb::object numbers(Part part) const {
    std::vector<std::int64_t> all;
    for (const tracked_object& object : frame->result.objects) all.push_back(static_cast<std::int64_t>(part(object)));
    return array_of(std::move(all));
  }
};

// A tracker whose push() cannot wait for ever: while no slot is free it takes results itself, and keeps them.
class frame_stream {
 public:
  frame_stream(engine on, bool on_device, const track_options& options)
      : engine_(std::move(on)), mode_(on_device ? held_image::access::read_anywhere : held_image::access::read),
        tracker_(std::make_unique<tracker>(engine_, options)), process_(getpid()) {}
  frame_stream(const frame_stream&) = delete;
  frame_stream& operator=(const frame_stream&) = delete;

  ~frame_stream() {
    if (process_ != getpid()) {  // its threads did not survive the fork: nothing here can end
      static_cast<void>(tracker_.release());
      static_cast<void>(new engine(std::move(engine_)));
      return;
    }
    const without_gil unlocked;
    tracker_.reset();
  }

  std::uint64_t push(nb::handle frame, nb::handle stamp) {
    check_process();
    const held_image held(frame, "frame", mode_);
    const std::uint64_t mark = whole_number(stamp, "stamp", 0, std::numeric_limits<std::uint64_t>::max());
    while (true) {
      {
        const without_gil unlocked;
        const std::lock_guard one_at_a_time(pushing_);
        if (const auto number = tracker_->try_push(held.view(), mark)) return *number;
        const std::lock_guard taking(taking_);
        take(true);
      }
      check_signals();
    }
  }

  shared_frame next(bool may_wait) {
    check_process();
    shared_frame found;
    {
      const without_gil unlocked;
      const std::lock_guard taking(taking_);
      if (kept_.empty()) take(may_wait);
      if (!kept_.empty()) {
        found = std::move(kept_.front());
        kept_.pop_front();
      }
    }
    try {
      check_signals();
    } catch (...) {  // the caller never sees this frame: the next call gives it
      const without_gil unlocked;
      const std::lock_guard taking(taking_);
      if (found) kept_.push_front(std::move(found));
      throw;
    }
    return found;
  }

  void stop() {
    check_process();
    const without_gil unlocked;
    tracker_->stop();
  }

  [[nodiscard]] std::uint64_t pushed() const { return tracker_->pushed(); }
  [[nodiscard]] std::uint64_t dropped() const { return tracker_->dropped(); }

 private:
  void check_process() const {
    if (process_ != getpid())
      throw std::runtime_error("Tracker: this process was forked after it was made; make another one here");
  }

  static void check_signals() {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

  // Moves one result to those that are kept, if there is one; waits only for a frame that is in flight.
  void take(bool may_wait) {
    const frame_result* const result = may_wait ? tracker_->wait() : tracker_->poll();
    if (result != nullptr) kept_.push_back(std::make_shared<held_frame>(*result));
  }

  engine engine_;
  held_image::access mode_;
  std::unique_ptr<tracker> tracker_;
  pid_t process_;
  std::mutex pushing_, taking_;
  std::deque<shared_frame> kept_;
};

extent extent_from(nb::handle shape) {
  const std::size_t rank = PySequence_Check(shape.ptr()) != 0 ? nb::len(shape) : 0;
  if (rank != 2 && rank != 3) bad_value("shape", text_of(shape) + " is not (rows, columns) or (slices, rows, columns)");
  std::int64_t sides[3] = {};
  for (std::size_t axis = 0; axis < rank; ++axis)
    sides[axis] = static_cast<std::int64_t>(whole_number(shape[axis], "shape", 0, most_u32 / 2));
  return rank == 2 ? extent(sides[0], sides[1]) : extent(sides[0], sides[1], sides[2]);
}

frame_threshold threshold_from(const component_choice& chosen, nb::dict given) {
  using side = frame_threshold::side;
  const auto where =
      one_of<side>(given["side"], "side", {{"bright", side::bright}, {"dark", side::dark}, {"both", side::both}});
  if (chosen.by_otsu) return frame_threshold::otsu(where);
  if (given["background"].is_none()) return frame_threshold::fixed(chosen.rule);
  const double difference = real_number(given["background"], "background");
  if (!(difference >= 0 && difference <= 65535))
    bad_value("background", text_of(given["background"]) + " is not in 0…65535");
  return frame_threshold::background(difference, where,
                                     static_cast<int>(whole_number(given["adaptation"], "adaptation", 0, 16)));
}

inherit_options inheritance_from(nb::dict given) {
  const auto number = [&](const char* name, std::uint64_t low) {
    return static_cast<std::uint32_t>(whole_number(given[name], name, low, most_u32));
  };
  using score = inherit_options::score;
  inherit_options inherit;
  inherit.by = one_of<score>(given["score"], "score", {{"overlap", score::overlap}, {"iou", score::iou}});
  inherit.least_overlap = number("least_overlap", 1);
  inherit.least_share = real_number(given["least_share"], "least_share");
  inherit.keep_alive = number("keep_alive", 0);
  inherit.memory = number("memory", 0);
  inherit.first_id = number("first_id", 1);
  return inherit;
}

// `like` is an empty array of the frames' type.
std::unique_ptr<frame_stream> make_stream(nb::handle shape, nb::handle like, const component_choice& chosen,
                                          nb::dict given, nb::handle threads) {
  if (chosen.joins.kind != joining::rule::foreground)
    bad_value(chosen.joins.kind == joining::rule::equal ? "equal" : "delta",
              "frames of a stream join all foreground; leave equal and delta out");
  if (std::count(chosen.periodic.begin(), chosen.periodic.end(), true) != 0)
    bad_value("periodic", "frames of a stream have no periodic axes");
  track_options options;
  options.size = extent_from(shape);
  options.type = held_image(like, "dtype").view().type;
  options.connectivity = chosen.connectivity != 0 ? chosen.connectivity : options.size.rank == 2 ? 8 : 26;
  options.threshold = threshold_from(chosen, given);
  options.selection = chosen.selection;
  options.moments = nb::cast<bool>(given["moments"]);
  options.intensities = nb::cast<bool>(given["intensity"]);
  options.labels = nb::cast<bool>(given["labels"]);
  options.images = false;
  options.inherit = inheritance_from(given);
  options.capacity = static_cast<std::uint32_t>(whole_number(given["capacity"], "capacity", 1, most_u32));
  options.slots = static_cast<int>(whole_number(given["slots"], "slots", 2, 1024));
  using policy = track_options::when_full;
  options.full =
      one_of<policy>(given["when_full"], "when_full", {{"wait", policy::wait}, {"drop_oldest", policy::drop_oldest}});
  return naming("size", "shape", [&] {
    return naming("threshold", given["background"].is_none() ? "threshold" : "background", [&] {
      return std::make_unique<frame_stream>(new_engine(threads, given["gpu"]), !given["gpu"].is_none(), options);
    });
  });
}

std::unique_ptr<column_source> objects_of(const shared_frame& frame) {
  auto columns = std::make_unique<object_columns>();
  columns->frame = frame;
  columns->table = frame->result.table;
  return columns;
}

nb::list events_of(const held_frame& frame) {
  nb::list events;
  for (const track_event& event : frame.result.events)
    events.append(nb::make_tuple(std::string(name_of(event.kind)), event.id, event.other));
  return events;
}

double seconds_of(const held_frame& frame) {
  return static_cast<double>(frame.result.times.published - frame.result.times.pushed) * 1e-9;
}

void bind_results(nb::module_& module) {
  nb::class_<held_frame>(module, "Frame")
      .def_prop_ro("number", [](const held_frame& self) { return self.result.frame; })
      .def_prop_ro("stamp", [](const held_frame& self) { return self.result.stamp; })
      .def_prop_ro("error", [](const held_frame& self) { return self.result.error; })
      .def_prop_ro("count", [](const held_frame& self) { return self.result.count; })
      .def_prop_ro("dropped", [](const held_frame& self) { return self.result.dropped; })
      .def_prop_ro("overflow", [](const held_frame& self) { return self.result.overflow; })
      .def_prop_ro("seconds", &seconds_of)
      .def("objects", &objects_of)
      .def("events", &events_of)
      .def("labels", [](const held_frame& self) { return array_of(std::vector(self.labels)); });
}

}  // namespace

void bind_track(nb::module_& module) {
  bind_results(module);
  nb::class_<frame_stream>(module, "Stream")
      .def("push", &frame_stream::push, nb::arg("frame").none(), nb::arg("stamp").none())
      .def("next", &frame_stream::next, nb::arg("may_wait"))
      .def("stop", &frame_stream::stop)
      .def_prop_ro("pushed", &frame_stream::pushed)
      .def_prop_ro("dropped", &frame_stream::dropped);
  module.def("stream", &make_stream, nb::arg("shape").none(), nb::arg("like").none(), nb::arg("choice"),
             nb::arg("options"), nb::arg("threads").none());
}

}  // namespace skerry::python
