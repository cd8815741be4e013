/**
 * Schedules workers as batch work (`SCHED_BATCH` on Linux). A thread that wakes up then waits for its turn instead of interrupting another
 * thread. libvips wakes a thread for each row of pixels, so this saves a few percent of a photo's time, and other programs are interrupted
 * less often.
 */
import { once } from '../shared/once.ts'
import { readStat } from './process-stat.ts'
import { ifPossible } from './if-possible.ts'

/** Changes nothing if `chrt` is missing or a container forbids it. `$$` is the shell, which then becomes the program. */
const SCHEDULE_AS_BATCH = '/usr/bin/chrt --batch --pid 0 $$ </dev/null >/dev/null 2>&1; '

/**
 * Returns a shell command that schedules the shell, and the program that it becomes, as batch work. Empty outside Linux, and if the user
 * started this process with another policy, such as `SCHED_IDLE`.
 */
export const scheduleAsBatch = once(() => (hasNormalPolicy() ? SCHEDULE_AS_BATCH : ''))

/**
 * Whether this process has the default policy, `SCHED_OTHER`, which its children inherit. False outside Linux, and in a container without
 * /proc.
 */
const hasNormalPolicy = (): boolean => ifPossible(() => readStat('self'))?.policy === '0'
