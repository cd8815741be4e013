/**
 * Sandboxes processes that decode untrusted files. Node's permission model applies on every system. It limits our own code and its
 * packages to reading files and to writing to given folders, but doesn't restrict native code. If Linux has a working bubblewrap,
 * the kernel also confines the whole process: it has no network and a read-only system, can't connect to sockets or create
 * namespaces, and can't see other processes.
 */
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { DATA_FD, startProgram } from './child-process.ts'
import { wasEndedFromOutside } from './ended-from-outside.ts'
import { programFault } from './program-fault.ts'
import { systemCallFilter } from './system-call-filter.ts'
import { ifPossible } from './if-possible.ts'

export type ConfinedStart = {
  /** Command prefix that starts Node. Empty if Node is started directly. */
  readonly wrapper: readonly string[]
  readonly nodeOptions: readonly string[]
  /** Environment variables, added to our own environment. */
  readonly env: Readonly<Record<string, string>>
  /** Passed to the wrapper as `inheritedData`. undefined if the wrapper needs no data. */
  readonly filter?: Uint8Array | undefined
}

/** Permissions of a confined process in addition to reading and computing. */
export type Reach = {
  /** Absolute paths of the only folders that it may write to. */
  readonly writable: readonly string[]
  readonly gpu?: boolean | undefined
}

export type Confinement = {
  readonly kind: 'permissions' | 'bubblewrap'
  startFor(reach: Reach): ConfinedStart
}

/**
 * Returns the write permission for one folder. Node treats every `*` in a path as a wildcard that can't be escaped.
 * @throws if Node can't be limited to this folder
 */
function exactPermission(folder: string): string {
  if (folder.includes('*'))
    throw new Error(
      `Without bubblewrap, a worker can't be limited to ${folder}, because the path contains “*”. Choose another folder.`,
    )
  return writePermission(folder)
}

const writePermission = (folder: string): string => `--allow-fs-write=${join(folder, '*')}`

/** Returns the options for Node's permission model. They also deny worker threads and child processes, which wouldn't be confined. */
const permissionOptions = (writePermissions: readonly string[]): readonly string[] => [
  '--permission',
  '--allow-addons',
  '--allow-fs-read=*',
  ...writePermissions,
  // SQLite writes its files without checking Node's permissions.
  '--no-experimental-sqlite',
  // Hides Node's warning that its permissions don't restrict native addons. bubblewrap restricts them, where available.
  '--disable-warning=SecurityWarning',
]

/** Node's permission model alone, which works on every system. */
export const PERMISSIONS: Confinement = {
  kind: 'permissions',
  startFor: ({ writable }) => ({
    wrapper: [],
    nodeOptions: permissionOptions(writable.map(exactPermission)),
    env: {},
  }),
}

/** Where system packages install bubblewrap. Any other `bwrap` on the PATH isn't trusted. */
const BUBBLEWRAP_PLACES = ['/usr/bin/bwrap', '/bin/bwrap', '/run/current-system/sw/bin/bwrap']

/** The parts of `/run` to keep: removable disks, mounts of file managers and portals, and the system itself if it is located there. */
const keptOfRun = (user: number): readonly string[] => [
  '/run/media',
  `/run/user/${user}/gvfs`,
  `/run/user/${user}/doc`,
  '/run/current-system',
  '/run/booted-system',
]

/** Folders with sockets of the display and of session managers. A process that connects to them can do anything that the user can. */
const HIDDEN_IF_THERE = ['/tmp/.X11-unix', '/tmp/.ICE-unix']

const words = (text: string): readonly string[] => text.split(' ')

/**
 * Denies access to the network, other processes, shared resources, capabilities and the terminal. The process also ends with its
 * parent.
 */
const ALONE = [
  ...words('--unshare-user --unshare-net --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try'),
  ...words('--cap-drop ALL --new-session --die-with-parent'),
]
const READ_ONLY = words('--ro-bind / / --dev /dev --proc /proc --tmpfs /run')

/** Names of the devices of the kernel's and NVIDIA's GPU drivers. */
const GPU_DEVICES = /^(dri|nvidia\d+|nvidiactl|nvidia-(modeset|uvm|uvm-tools|caps))$/

/** Lists the GPU devices. Called for each worker, because a GPU may be plugged in or removed while the service runs. */
const gpuDevices = (): readonly string[] =>
  readdirSync('/dev')
    .filter((name) => GPU_DEVICES.test(name))
    .map((name) => join('/dev', name))

/** Options that some versions of bubblewrap or the kernel don't support. The first set that works is used. */
type Extras = { readonly filter: Uint8Array | undefined; readonly options: readonly string[] }

function extrasToTry(): readonly Extras[] {
  const filter = systemCallFilter(process.arch)
  const filtered = filter === undefined ? [] : ['--seccomp', String(DATA_FD)]
  const noNamespaces = ['--disable-userns']
  return [
    { filter, options: [...filtered, ...noNamespaces] },
    { filter, options: filtered },
    { filter: undefined, options: noNamespaces },
    { filter: undefined, options: [] },
  ]
}

function bubblewrapArguments({ writable, gpu = false }: Reach, user: number): readonly string[] {
  const kept = keptOfRun(user).flatMap((path) => ['--ro-bind-try', path, path])
  const hidden = HIDDEN_IF_THERE.filter((path) => existsSync(path)).flatMap((path) => ['--tmpfs', path])
  return [
    ...ALONE,
    ...READ_ONLY,
    ...kept,
    ...(gpu ? gpuDevices() : []).flatMap((path) => ['--dev-bind-try', path, path]),
    ...writable.map(realFolder).flatMap((folder) => ['--bind', folder, folder]),
    // The hidden paths are listed last, because a writable folder may contain them.
    ...hidden,
  ]
}

/** Returns the real path of a folder, which a mount needs. Links resolve to the same path inside the sandbox. */
const realFolder = (folder: string): string => ifPossible(() => realpathSync(folder)) ?? folder

const bubblewrap = (program: string, user: number, { filter, options }: Extras): Confinement => ({
  kind: 'bubblewrap',
  startFor: (reach) => ({
    wrapper: [program, ...bubblewrapArguments(reach, user), ...options, '--'],
    // The kernel limits writing to these folders, even if Node treats the name of one as a pattern.
    nodeOptions: permissionOptions(reach.writable.map(writePermission)),
    // libvips writes images that exceed its memory limit to a temporary file. It can't write to any other temporary folder.
    env: { TMPDIR: '/dev/shm' },
    filter,
  }),
})

export type ConfinementSearch = {
  readonly platform: NodeJS.Platform
  readonly log: (message: string) => void
  /** @internal Replaced in tests. */
  readonly places?: readonly string[]
}

/**
 * Finds the strongest confinement that works here. Tests bubblewrap, because unprivileged users can't create namespaces in
 * containers and on some systems. Never throws.
 */
export async function findConfinement({
  platform,
  log,
  places = BUBBLEWRAP_PLACES,
}: ConfinementSearch): Promise<Confinement> {
  const user = process.getuid?.()
  if (platform !== 'linux' || user === undefined) return PERMISSIONS
  for (const program of places) {
    if ((await programFault(program)) !== undefined) continue
    let refusal: string | undefined
    for (const extras of extrasToTry()) {
      const found = bubblewrap(program, user, extras)
      const why = await refusalOf(found)
      if (why === undefined) return found
      refusal = why
    }
    log(
      `bubblewrap is installed but doesn't work, so only Node's permission model confines workers: ${refusal}`,
    )
  }
  return PERMISSIONS
}

/**
 * Returns undefined if a program ran inside the sandbox. Otherwise, returns its error output or exit code. Repeats the test once if a
 * signal from outside ended the program, because workers would otherwise be confined less.
 */
async function refusalOf(confinement: Confinement, mayRepeat = true): Promise<string | undefined> {
  const { wrapper, filter } = confinement.startFor({ writable: [] })
  const [program = '', ...args] = wrapper
  const trial = startProgram(program, { args: [...args, '/bin/sh', '-c', ':'], inheritedData: filter })
  trial.stdout.resume()
  const { code, signal, stderrTail } = await trial.ended
  if (mayRepeat && wasEndedFromOutside({ code, signal })) return refusalOf(confinement, false)
  return code === 0 ? undefined : stderrTail || `code ${code}`
}
