! The Fortran module: results of distributed data against those of the same data in one process, by bits; errors, which all
! processes return; accumulators; the call shape of climate codes with more rows than summands. --drop: every process
! drops its first element, which must be noticed.
program fortran_test
  use, intrinsic :: iso_fortran_env, only: real32, real64, int32, int64
  use exactdot
  use mpi
  implicit none
  integer, parameter :: n = 600, fields = 70
  real(real64) :: x(n), y(n), whole(n, fields), mine(n + 5, fields), found(fields)
  integer :: rank, processes, code, failures, all_failures, i, k, used, stat, partition
  character(len=6) :: argument

  call mpi_init(code)
  call mpi_comm_rank(mpi_comm_world, rank, code)
  call mpi_comm_size(mpi_comm_world, processes, code)
  failures = 0
  call get_command_argument(1, argument)
  call make_data()
  do partition = 1, 3
    call test_vectors()
    call test_fields()
    call test_accumulators()
  end do
  call test_errors()
  call mpi_allreduce(failures, all_failures, 1, mpi_integer, mpi_sum, mpi_comm_world, code)
  if (rank == 0) print '(a,i0,a,i0,a)', 'fortran: ', processes, ' ranks, ', all_failures, ' failures'
  call mpi_finalize(code)
  if (all_failures /= 0) error stop 1

contains

  ! Exponents that spread, and sums that cancel; the same on all processes.
  subroutine make_data()
    integer(int64) :: state
    state = 88172645463325252_int64
    do k = 1, fields
      do i = 1, n
        state = ieor(state, ishft(state, 13))
        state = ieor(state, ishft(state, -7))
        state = ieor(state, ishft(state, 17))
        whole(i, k) = real(state, real64) * 2.0_real64**(modulo(i * k, 90) - 100)
        if (modulo(i, 3) == 0) whole(i, k) = -whole(max(1, i - 1), k)
      end do
    end do
    x = whole(:, 1)
    y = whole(:, 2)
  end subroutine

  ! The elements of this process. 1: i modulo the number of processes; 2: so, and the last process has none; 3: the last
  ! process has all.
  function share(values) result(part)
    real(real64), intent(in) :: values(:)
    real(real64), allocatable :: part(:)
    integer :: owners, first
    owners = processes
    first = rank + 1
    if (partition == 2) owners = max(1, processes - 1)
    if (partition == 3) owners = 1
    if (partition == 3) first = merge(1, 2, rank == processes - 1)
    if (first > owners) then
      part = values(1:0)
    else
      part = values(first::owners)
    end if
    if (argument == '--drop' .and. size(part) > 0) part = part(2:)
  end function

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    print '(a,i0,a,a)', 'rank ', rank, ': ', what
  end subroutine

  subroutine expect_bits(got, expected, what)
    real(real64), intent(in) :: got, expected
    character(len=*), intent(in) :: what
    call expect(transfer(got, 0_int64) == transfer(expected, 0_int64), what)
  end subroutine

  subroutine test_vectors()
    real(real32) :: narrow(n)
    integer, parameter :: comm = mpi_comm_world
    narrow = real(x, real32)
    call expect_bits(exact_sum(share(x), comm), exact_sum(x), 'sum')
    call expect_bits(exact_asum(share(x), comm), exact_asum(x), 'asum')
    call expect_bits(exact_sum_of_squares(share(x), comm), exact_sum_of_squares(x), 'sum of squares')
    call expect_bits(exact_nrm2(share(x), comm), exact_nrm2(x), 'nrm2')
    call expect_bits(exact_mean(share(x), comm), exact_mean(x), 'mean')
    call expect_bits(exact_variance(share(x), comm, ddof=1), exact_variance(x, ddof=1), 'variance')
    call expect_bits(exact_stddev(share(x), comm), exact_stddev(x), 'stddev')
    call expect_bits(exact_norm(share(x), comm), exact_nrm2(x), 'norm')
    call expect_bits(exact_var(share(x), comm, ddof=1), exact_variance(x, ddof=1), 'var')
    call expect_bits(exact_std(share(x), comm), exact_stddev(x), 'std')
    call expect_bits(exact_dot(share(x), share(y), comm), exact_dot(x, y), 'dot')
    call expect(transfer(exact_sum(real(share(x), real32), comm), 0_int32) == transfer(exact_sum(narrow), 0_int32), &
      'sum of real32')
    call expect_bits(exact_sum(x(n:1:-2)), exact_sum(x(2::2)), 'stride')
  end subroutine

  subroutine test_fields()
    do k = 1, fields
      used = size(share(whole(:, k)))
      mine(1:used, k) = share(whole(:, k))
      mine(used + 1:, k) = 1e300_real64  ! not summed
    end do
    call exact_sum_calc(mine, found, used, n + 5, fields, commid=mpi_comm_world)
    do k = 1, fields
      call expect_bits(found(k), exact_sum(whole(:, k)), 'field')
    end do
    call exact_sum_calc(mine, found, used, n + 5, fields, mpi_comm_world, check=.true., stat=stat)
    call expect(stat == 0, 'checked fields')
  end subroutine

  subroutine test_accumulators()
    type(accumulator) :: sum, copied, sums(3)
    call sum%add(share(x))
    call sum%add_products(share(x), share(y))
    copied = sum
    call allreduce(sum, mpi_comm_world)
    call sums(1)%add(x)
    call sums(1)%add_products(x, y)
    call expect_bits(sum%round(), sums(1)%round(), 'accumulator')
    call allreduce(copied, mpi_comm_world)
    call expect_bits(copied%round(), sums(1)%round(), 'copied accumulator')
    call sums(1)%clear()
    do k = 1, 3
      call sums(k)%add_squares(share(whole(:, k)))
    end do
    call allreduce(sums, mpi_comm_world)
    do k = 1, 3
      call expect_bits(sums(k)%round_root(), exact_nrm2(whole(:, k)), 'accumulators')
    end do
  end subroutine

  subroutine test_errors()
    character(len=12) :: name
    character(len=:), allocatable :: message
    real(real64) :: nothing
    write (name, '(a,i0,a)') 'rank ', processes - 1, ':'
    k = 0
    if (rank == processes - 1) k = 1
    nothing = exact_dot(x, y(1:n - k), mpi_comm_world, stat)
    message = exact_message()
    call expect(stat == 3 .and. index(message, trim(name)) == 1, 'a failure of one process: ' // message)
    call exact_sum_calc(mine, found, n + 5 + k, n + 5, fields, mpi_comm_world, stat=stat)
    message = exact_message()
    call expect(stat == 5 .and. index(message, 'nsummands') > 0, 'nsummands: ' // message)
    call exact_sum_calc(mine, found, n, n + 5, fields - merge(k, 0, processes > 1), mpi_comm_world, check=.true., stat=stat)
    call expect(stat == merge(0, 3, processes == 1), 'fields that differ')
    nothing = exact_sum(x, mpi_comm_null, stat)
    call expect(stat == 4 .and. .not. nothing > 0, 'MPI_COMM_NULL')
  end subroutine
end program
