/**
 * What keeps a process that decodes strangers' files from the rest of the computer. Everywhere it is Node's permission model,
 * which holds our own code and the packages that it uses to reading, and to writing into the folders that it was given; native
 * code does not ask it. Where Linux has bubblewrap and allows it to work, the kernel holds the whole process: no network, a
 * system that can only be read, none of the sockets of the session, and other processes out of sight.
 */
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { startProgram } from './child-process.ts'
import { programFault } from './program-fault.ts'

/** How a confined Node is started. */
export type ConfinedStart = {
  /** A program with its arguments that starts Node in our stead; nothing where Node is started itself. */
  readonly wrapper: readonly string[]
  readonly nodeOptions: readonly string[]
  /** On top of our own environment. */
  readonly env: Readonly<Record<string, string>>
}

/** What a confined process may do beyond reading and counting. */
export type Reach = {
  /** Absolute folders, the only ones that it may write to. */
  readonly writable: readonly string[]
  /** Whether it may talk to the graphics chips. */
  readonly chips?: boolean
}

export type Confinement = {
  readonly kind: 'permissions' | 'bubblewrap'
  startFor(reach: Reach): ConfinedStart
}

/** A worker thread or another process would be held to nothing, so neither is allowed. */
const permissionOptions = (writable: readonly string[]): readonly string[] => [
  '--permission',
  '--allow-addons',
  '--allow-fs-read=*',
  ...writable.map((folder) => `--allow-fs-write=${join(folder, '*')}`),
  // It says that addons are a danger, which is why there is more than this where the system offers it.
  '--disable-warning=SecurityWarning',
]

/** What every system has. */
export const PERMISSIONS: Confinement = {
  kind: 'permissions',
  startFor: ({ writable }) => ({ wrapper: [], nodeOptions: permissionOptions(writable), env: {} }),
}

/** Where the system's packages put it. What else is called so on the PATH is nobody's to trust. */
const BUBBLEWRAP_PLACES = ['/usr/bin/bwrap', '/bin/bwrap', '/run/current-system/sw/bin/bwrap']

/** Of `/run` only the disks that people put in, what their file managers mount, and the system where it lies there. */
const keptOfRun = (user: number): readonly string[] => [
  '/run/media',
  `/run/user/${user}/gvfs`,
  `/run/user/${user}/doc`,
  '/run/current-system',
  '/run/booted-system',
]

/** Sockets of the screen and of agents: whoever can connect to them can do what the person can. */
const HIDDEN_IF_THERE = ['/tmp/.X11-unix', '/tmp/.ICE-unix']

const words = (text: string): readonly string[] => text.split(' ')

/** No network, no other processes and nothing shared with them, no rights, no terminal, and no longer than its parent. */
const ALONE = [
  ...words('--unshare-user --unshare-net --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try'),
  ...words('--cap-drop ALL --new-session --die-with-parent'),
]
const READ_ONLY = words('--ro-bind / / --dev /dev --proc /proc --tmpfs /run')

/** Those of the kernel's own drivers and of NVIDIA's, by the names in `/dev`. */
const CHIP_DEVICES = /^(dri|nvidia\d+|nvidiactl|nvidia-(modeset|uvm|uvm-tools|caps))$/

/** A chip may come and go while the service runs, so it is looked for anew each time. */
const chipDevices = (): readonly string[] =>
  readdirSync('/dev')
    .filter((name) => CHIP_DEVICES.test(name))
    .map((name) => join('/dev', name))

function bubblewrapArguments({ writable, chips = false }: Reach, user: number): readonly string[] {
  const kept = keptOfRun(user).flatMap((path) => ['--ro-bind-try', path, path])
  const hidden = HIDDEN_IF_THERE.filter((path) => existsSync(path)).flatMap((path) => ['--tmpfs', path])
  return [
    ...ALONE,
    ...READ_ONLY,
    ...kept,
    ...hidden,
    ...(chips ? chipDevices() : []).flatMap((path) => ['--dev-bind-try', path, path]),
    ...writable.map(realFolder).flatMap((folder) => ['--bind', folder, folder]),
    '--',
  ]
}

/** A mount has to stand where the folder really is; links lead to it inside as they do outside. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

const bubblewrap = (program: string, user: number): Confinement => ({
  kind: 'bubblewrap',
  startFor: (reach) => ({
    wrapper: [program, ...bubblewrapArguments(reach, user)],
    nodeOptions: permissionOptions(reach.writable),
    // libvips puts what is too large for its memory into a file, and finds no other place to write to.
    env: { TMPDIR: '/dev/shm' },
  }),
})

export type ConfinementSearch = {
  readonly platform: NodeJS.Platform
  readonly log: (message: string) => void
  /** @internal Tests give others. */
  readonly places?: readonly string[]
}

/**
 * Tries once what is there: in containers, and on some systems everywhere, unprivileged users may make no namespaces, and then
 * bubblewrap is of no use. Never throws.
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
    const found = bubblewrap(program, user)
    const refusal = await refusalOf(found)
    if (refusal === undefined) return found
    log(`bubblewrap is there and does not work, so workers are held by Node alone: ${refusal}`)
  }
  return PERMISSIONS
}

/** @returns undefined where a program ran in it, else what was said instead */
async function refusalOf(confinement: Confinement): Promise<string | undefined> {
  const [program = '', ...args] = confinement.startFor({ writable: [] }).wrapper
  const trial = startProgram(program, { args: [...args, '/bin/sh', '-c', ':'] })
  trial.stdout.resume()
  const { code, stderrTail } = await trial.ended
  return code === 0 ? undefined : stderrTail || `code ${code}`
}
