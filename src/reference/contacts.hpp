// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "skerry/contacts.hpp"

namespace skerry::reference {

/// The contacts of a label image; arguments have been checked.
contact_table contacts(const contact_request& asked);

}  // namespace skerry::reference
