/**
 * A shell command that schedules the shell, and the program that it becomes, as batch work (`SCHED_BATCH` on Linux). A thread that
 * wakes up then waits its turn instead of interrupting another one. libvips wakes a thread for each row of pixels, so this saves a
 * twentieth of a photo's time, and programs that the user works with come first. Changes nothing without `chrt` or where a
 * container forbids it.
 */
export const SCHEDULE_AS_BATCH = '/usr/bin/chrt --batch --pid 0 $$ 2>/dev/null; '
