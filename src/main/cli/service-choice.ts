import { EXIT, type ExitCode } from '../../shared/command-end.ts'
import type { ConnectionKind } from '../../shared/model/connection.ts'
import type { Line } from '../core/index.ts'
import { serviceNameOf } from '../../shared/i18n/names.ts'
import type { Settings as SettingsValue } from '../../shared/model/settings.ts'
import { createServiceApi, parseBaseUrl, type ServiceApi } from '../service-api/index.ts'
import type { Settings } from '../settings/settings.ts'
import { type Environment, settingsIn } from './environment.ts'
import { t } from './output/language.ts'
import type { Owner, Reached } from './owner-types.ts'

export type ChosenService = ReturnType<typeof chosen>

export type Choice =
  | { readonly ok: true; readonly service: ChosenService }
  /** A usage error only if `code` is `EXIT.usage`. */
  | { readonly ok: false; readonly code: ExitCode; readonly message: string }

/**
 * Selects the service: the one named in the options or in MEDIATRAY_BASE_URL, otherwise the app's, otherwise the built-in one. Doesn't
 * start the built-in service. May contact an external service to test the command's key.
 */
export async function chooseService(
  options: {
    readonly baseUrl?: string
    /** Name or address in the app's settings. */
    readonly service?: string
    readonly keyStdin?: boolean
  },
  environment: Environment,
  owner: Owner,
): Promise<Choice> {
  const { env } = environment
  const { saved, damage } = owner.readSettings()
  const listed = options.service === undefined ? undefined : serviceNamed(options.service, saved.view())
  if (listed?.ok === false) return refused(listed.message)
  if (listed?.id === 'builtIn') return { ok: true, service: builtIn(owner, saved) }
  const named = listed?.id ?? options.baseUrl ?? env['MEDIATRAY_BASE_URL'] ?? ''
  if (named === '') {
    const file = settingsIn(environment)
    if (options.keyStdin === true) return refused(t().usage.keyNeedsAddress)
    // Fail, because damaged settings fall back to the defaults, which don't name a service. The command might use a different service than
    // the user selected.
    if (damage !== null) {
      const words = t().usage[damage === 'damaged' ? 'settingsDamaged' : 'settingsUnreadable']
      return refused(words({ file }), EXIT.failed)
    }
    const unread = saved.unread().filter((name) => name === 'connection' || name === 'baseUrl')
    if (unread.length > 0)
      return refused(t().usage.serviceUnread({ names: t().listed(unread), file }), EXIT.failed)
    if (saved.view().connection !== 'external') return { ok: true, service: builtIn(owner, saved) }
  }
  const parsed = parseBaseUrl(named === '' ? saved.view().baseUrl : named)
  if (!parsed.ok) return refused(parsed.why)
  const baseUrl = parsed.value
  const identity = baseUrl.href
  const given = options.keyStdin === true ? await environment.readKey() : env['MEDIATRAY_API_KEY']
  const lent = await owner.lineTo(identity, given === '' ? undefined : given)
  const { line, isMain: isApps, isRefused } = lent
  const service = chosen(
    { kind: 'external', identity, isApps, saved, line, isRefused },
    async () => ({ ok: true, baseUrl, key: await lent.key() }),
    lent.release,
  )
  return { ok: true, service }
}

const refused = (message: string, code: ExitCode = EXIT.usage): Choice => ({ ok: false, code, message })

/** Finds a service in the user's settings by its name or ID. */
function serviceNamed(
  name: string,
  { connection, baseUrl, otherServices, serviceNames }: SettingsValue,
):
  | { readonly ok: true; readonly id: string }
  | { readonly ok: false; readonly id?: never; readonly message: string } {
  const main = connection === 'external' ? baseUrl : 'builtIn'
  const ids = [main, ...otherServices.map(({ service }) => service)]
  const nameOf = (id: string) => serviceNameOf(id, { serviceNames }, t())
  const id = ids.find((one) => [one, nameOf(one)].includes(name))
  if (id !== undefined) return { ok: true, id }
  return { ok: false, message: t().usage.noService({ name, known: t().listed(ids.map(nameOf)) }) }
}

function builtIn(owner: Owner, saved: Settings): ChosenService {
  const isOther = saved.view().connection === 'external'
  const { line, release } = isOther
    ? owner.core.lines.use('builtIn')
    : { line: owner.core, release: () => undefined }
  const isApps = !isOther
  return chosen(
    { kind: 'builtIn', identity: 'builtIn', isApps, saved, line, isRefused: false },
    owner.builtIn,
    release,
  )
}

function chosen(
  facts: {
    readonly kind: ConnectionKind
    /** A stable identifier of the service; see `StartOptions.target`. */
    readonly identity: string
    /** Whether this is the main service in the app's settings. */
    readonly isApps: boolean
    /** The user's settings from the app, read-only. */
    readonly saved: Settings
    readonly line: Line
    /** Whether the service rejects this command's key. The line keeps the key that it already has. */
    readonly isRefused: boolean
  },
  reach: () => Promise<Reached>,
  release: () => void,
) {
  let opened: ServiceApi | undefined
  return {
    ...facts,
    /** Starts the built-in service if necessary. */
    reach,
    /** Returns the API for requests that a command sends directly, not through the line. */
    async api() {
      const reached = await reach()
      if (!reached.ok) return reached
      const { baseUrl, key } = reached
      opened = createServiceApi({ baseUrl, key: () => key, isBuiltIn: facts.kind === 'builtIn' })
      return { ok: true, api: opened } as const
    },
    async close(): Promise<void> {
      await opened?.close()
      release()
    },
  }
}
