/** Gives results the dates, the owner, the permissions and, where the system has them, the tags and comments of their originals. */
import { spawn, type ChildProcess } from 'node:child_process'
import { constants, type Stats } from 'node:fs'
import {
  chmod,
  chown,
  copyFile,
  lstat,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { HelperEnded } from '../../node/ended-from-outside.ts'
import { KeepOriginal } from './vault-parts.ts'

/**
 * Copies attributes from the original. Tags and comments are extended attributes, which Node can't read. On Linux, `cp` copies them; on
 * macOS, a copy of the original includes them and gets the result's content. If tags or comments can't be copied, the replacement
 * continues, because the original in the vault keeps them. Owner and group, and on Linux the access control list, must be copied:
 * otherwise, users could get rights that they didn't have, or lose theirs.
 * @param result a finished file that no one else uses
 * @throws KeepOriginal if the owner or the rights can't be copied, HelperEnded if it is unknown whether they were copied, or the file
 * system's error if dates or permissions can't be set
 */
export type CopyAttributes = (original: string, result: string) => Promise<void>

/** Runs work with a function that copies attributes. One shell serves all files. */
export async function withAttributes<T>(work: (copy: CopyAttributes) => Promise<T>): Promise<T> {
  const shell = createShell()
  try {
    return await work(async (original, result) => {
      if (process.platform === 'darwin') await copyTagsOnMac(original, result).catch(() => undefined)
      const { uid, gid, mode, atime, mtime } = await lstat(original)
      await copyOwner({ uid, gid }, result)
      const withTags = `${copyCommand('mode,xattr', original, result)} || ${copyCommand('mode', original, result)}`
      if (process.platform === 'linux' && !(await shell.run(withTags))) throw new KeepOriginal('rights')
      await chmod(result, mode & 0o777)
      await utimes(result, atime, mtime)
    })
  } finally {
    shell.end()
  }
}

/**
 * Gives a result that appears next to its original the same owner, group and permissions, and on Linux the same access control list, so
 * that only users who can read the original can read it. If one of them can't be set, or the original is gone, only the user can read the
 * result. The user can write it even if the original is read-only.
 * @throws the file system's error if the permissions can't be set
 */
export async function copyRights(original: string, result: string): Promise<void> {
  await chmod(result, 0o600)
  const shell = createShell()
  try {
    // The original may be a link. It has the rights of its target.
    const { uid, gid, mode } = await stat(original)
    await copyOwner({ uid, gid }, result)
    const isCopied = process.platform !== 'linux' || (await shell.run(copyCommand('mode', original, result)))
    await chmod(result, isCopied ? (mode & 0o777) | 0o200 : 0o600)
  } catch {
    await chmod(result, 0o600)
  } finally {
    shell.end()
  }
}

async function copyOwner({ uid, gid }: Pick<Stats, 'uid' | 'gid'>, result: string): Promise<void> {
  const made = await lstat(result)
  if (made.uid === uid && made.gid === gid) return
  await chown(result, uid, gid).catch(() => {
    throw new KeepOriginal('rights')
  })
}

async function copyTagsOnMac(original: string, result: string): Promise<void> {
  const copy = `${result}.attributes`
  try {
    // The service may have left a link with this name.
    await rm(copy, { force: true })
    await copyFile(original, copy, constants.COPYFILE_EXCL)
    await writeFile(copy, await readFile(result), { flag: 'r+' })
    await truncate(copy, (await lstat(result)).size)
    await rename(copy, result)
  } finally {
    await rm(copy, { force: true })
  }
}

/**
 * Returns the command that copies attributes. The mode includes the access control list. Without the list, `chmod` would turn its mask into
 * rights of the group.
 */
const copyCommand = (which: string, original: string, result: string): string =>
  `cp --attributes-only --preserve=${which} -- ${quoted(original)} ${quoted(result)}`

const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`

/** `ended`: the shell or the command was killed, or couldn't be started, which says nothing about the file. */
type ShellAnswer = 'done' | 'failed' | 'ended'

/** Creates one shell for many commands. A small shell starts a process in a fraction of the time that this process needs. */
function createShell() {
  let child: ChildProcess | undefined
  let answer: ((given: ShellAnswer) => void) | undefined

  function start(): ChildProcess {
    const started = spawn('sh', [], { stdio: ['pipe', 'pipe', 'ignore'] })
    const ended = (): void => {
      if (child !== started) return
      child = undefined
      answer?.('ended')
    }
    started.on('error', ended).on('exit', ended)
    started.stdin.on('error', ended)
    started.stdout.on('data', (status: Buffer) => answer?.(answerOf(Number(status.toString()))))
    // Ctrl-C and service managers signal all processes. The shell ignores the signals, so that the current file is finished.
    started.stdin.write("trap '' INT TERM HUP\n")
    return started
  }

  async function runOnce(command: string): Promise<ShellAnswer> {
    const { promise, resolve } = Promise.withResolvers<ShellAnswer>()
    answer = resolve
    child ??= start()
    child.stdin?.write(`${command}\necho $?\n`)
    return promise
  }

  return {
    /**
     * Runs one command at a time. Resolves to whether it succeeded.
     * @throws HelperEnded if the shell or the command ended twice without an answer
     */
    async run(command: string): Promise<boolean> {
      const first = await runOnce(command)
      const given = first === 'ended' ? await runOnce(command) : first
      if (given === 'ended')
        throw new HelperEnded('The command that copies attributes has ended without an answer.')
      return given === 'done'
    },
    end: () => void child?.stdin?.end(),
  }
}

/** Interprets an exit status. A shell reports the signal that ended a command as 128 plus the signal's number. */
function answerOf(status: number): ShellAnswer {
  if (status === 0) return 'done'
  return status > 128 ? 'ended' : 'failed'
}
