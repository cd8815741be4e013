/** The report that a user can send for support: versions, settings and state, without personal data. */
import { hostname, release, userInfo } from 'node:os'
import { basename } from 'node:path'
import { readLogTail } from '../../node/log.ts'
import type { AppState } from '../../shared/model/app-state.ts'
import type { Settings } from '../../shared/model/settings.ts'
import type { History } from '../history/index.ts'
import { redactSettings } from './redact-settings.ts'
import { createRedactor, type Identities, type Redactor } from './redact.ts'

const LOG_LINES = 200
const NEWEST_RECORDS = 200

/** Returns plain text, a few hundred lines. */
export async function diagnosticsReport(
  sources: Pick<Facts, 'versions' | 'settings' | 'state' | 'at'> &
    Pick<Identities, 'secrets' | 'homeFolder'> & {
      /** null if it can't be opened. */
      readonly history: Pick<History, 'page'> | null
      readonly logFolder: string
    },
): Promise<string> {
  const { versions, history, logFolder, secrets, homeFolder } = sources
  const records = history?.page({}, { offset: 0, limit: NEWEST_RECORDS }).records ?? []
  return reportText({
    ...sources,
    versions: {
      ...versions,
      node: process.versions.node,
      system: `${process.platform} ${release()} ${process.arch}`,
    },
    // Without the history, names of files in the log can't be recognized.
    log: history === null ? [] : await readLogTail(logFolder, LOG_LINES),
    identities: {
      secrets,
      homeFolder,
      userNames: [userInfo().username],
      hostNames: [hostname()],
      fileNames: records.flatMap(({ name, firstPath }) => [name, basename(firstPath ?? '')]),
    },
  })
}

type Facts = {
  /** For example, the versions of the app, Electron and the system. */
  readonly versions: Readonly<Record<string, string>>
  readonly settings: Settings
  /** The state, or an explanation of why it is missing. */
  readonly state: AppState | string
  /** The last lines, newest last. */
  readonly log: readonly string[]
  readonly identities: Omit<Identities, 'names'>
  /** ms since 1970. */
  readonly at: number
}

export function reportText({ versions, settings, state, log, identities, at }: Facts): string {
  const isText = typeof state === 'string'
  const fileNames = [...identities.fileNames, ...(isText ? [] : namesIn(state))]
  const redactor = createRedactor({ ...identities, fileNames, names: namesOf(settings) })
  const show = (value: unknown) => JSON.stringify(redactor.value(value), undefined, 2)
  return [
    'Mediatray diagnostics',
    new Date(at).toISOString(),
    'Keys, names, addresses and paths are replaced with placeholders.',
    section('Versions', show(versions)),
    section('Settings', JSON.stringify(redactSettings(settings, redactor), undefined, 2)),
    section('State', show(isText ? state : summaryOf(state))),
    section('Log', log.map((line) => logLine(line, redactor)).join('\n')),
    '',
  ].join('\n')
}

const section = (title: string, body: string): string => `\n${title}\n${'-'.repeat(title.length)}\n${body}`

/** Summarizes the state, mostly as numbers and enumerated values. The redactor handles the text that remains. */
function summaryOf(state: AppState): Readonly<Record<string, unknown>> {
  const { connection, jobs, queue, outbox, quiet, draft, unseen, historyVersion, notices } = state
  return {
    connection: {
      kind: connection.kind,
      baseUrl: connection.baseUrl,
      seesFiles: connection.seesFiles,
      key: connection.key,
      keychainTrouble: connection.keychainTrouble,
      state: connection.state,
      presets: connection.presets && {
        image: connection.presets.image.length,
        video: connection.presets.video.length,
      },
    },
    jobs: jobs.map(({ stage, progress, files, variations, origin }) => ({
      stage,
      share: progress.share,
      phase: progress.phase,
      files,
      variations,
      origin,
    })),
    queue,
    outbox: outbox.map(({ state: { kind, ...rest }, files, variations }) => ({
      kind,
      because: 'because' in rest ? rest.because : undefined,
      why: 'why' in rest ? rest.why : undefined,
      message: 'message' in rest ? rest.message : undefined,
      files,
      variations,
    })),
    quiet,
    draft: {
      files: draft.source.kind === 'files' ? draft.source.items.length : null,
      rejected: draft.rejected.map(({ reason, detail }) => ({ reason, detail })),
      grouping: draft.grouping,
      variations: draft.variations,
    },
    unseen,
    historyVersion,
    // The user chooses the names of preset files.
    notices: notices.map((notice) =>
      'files' in notice ? { ...notice, files: notice.files.length } : notice,
    ),
  }
}

/** Returns the services' names and the receivers' hosts, because the log may contain them. */
const namesOf = ({ serviceNames, receivers }: Settings): readonly string[] => [
  ...Object.values(serviceNames),
  ...receivers.flatMap(({ host }) => [host, host.replace(/:\d+$/, '')]),
]

/** Returns the names that the app displays, because the log may contain them without their folder. */
function namesIn(state: AppState): readonly string[] {
  const { draft, jobs, outbox, lastProblem, lastResult } = state
  const titles = [...jobs, ...outbox, lastProblem, lastResult].filter((title) => title !== null)
  const items = draft.source.kind === 'files' ? draft.source.items : []
  return [
    ...titles.flatMap(({ name, firstPath, driveInput }) => [name, firstPath ?? '', driveInput ?? '']),
    ...[...items, ...draft.rejected].flatMap(({ name, path }) => [name, path]),
    ...jobs.flatMap(({ doneFiles, progress }) => [...doneFiles, progress.fileName ?? '']),
  ].flatMap((name) => [name, stemOf(name)])
}

/** Returns the name without its extension if it is long enough to be distinct from an ordinary word. */
function stemOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 5 ? name.slice(0, dot) : ''
}

/**
 * Redacts the fields of a JSON line one by one, and any other line as text. Secrets are removed first: a secret with a quotation
 * mark could turn the surrounding text into JSON that ends in the middle of the secret.
 */
function logLine(line: string, redactor: Redactor): string {
  const withoutSecrets = redactor.withoutSecrets(line)
  try {
    return JSON.stringify(redactor.value(JSON.parse(withoutSecrets)))
  } catch {
    return redactor.text(withoutSecrets)
  }
}
