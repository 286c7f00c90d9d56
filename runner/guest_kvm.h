/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "runner/guest_qemu.h"

/*
 * Boots this kernel under KVM and waits until its init answers.  0, -EINTR
 * after a signal, or -EOPNOTSUPP after saying why KVM does not work here.
 */
int guest_kvm_try(const struct guest_setup *setup);
