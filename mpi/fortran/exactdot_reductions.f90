! SPDX-License-Identifier: Apache-2.0
!
! The reductions for arrays of real32 and of real64: one text, exactdot_reductions.inc, in two modules; and those for complex
! arrays of both kinds, exactdot_complex_reductions.inc, in two more. The module exactdot uses all, which merges their
! generic names.
module exactdot_real32
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_loc, real_kind => c_float
  use exactdot_bindings
  implicit none
  integer(c_int), parameter, private :: element = float32
  include 'exactdot_reductions.inc'
end module exactdot_real32

module exactdot_real64
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_loc, real_kind => c_double
  use exactdot_bindings
  implicit none
  integer(c_int), parameter, private :: element = float64
  include 'exactdot_reductions.inc'
end module exactdot_real64

module exactdot_complex32
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_loc, c_ptr, real_kind => c_float
  use exactdot_bindings
  implicit none
  integer(c_int), parameter, private :: element = complex64, part = float32
  include 'exactdot_complex_reductions.inc'
end module exactdot_complex32

module exactdot_complex64
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_loc, c_ptr, real_kind => c_double
  use exactdot_bindings
  implicit none
  integer(c_int), parameter, private :: element = complex128, part = float64
  include 'exactdot_complex_reductions.inc'
end module exactdot_complex64
