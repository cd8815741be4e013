/** Events about the service: whether it works, its presets and its cloud drive. */
import type { DriveStatus, Health, Presets } from '../../../shared/api/resources.ts'
import { errorSentence, presetName, reasonWords } from '../../../shared/i18n/sentences.ts'
import type { DriveFolders, DriveSetup } from '../../../shared/model/built-in-service.ts'
import type { SchemaField } from '../../../shared/preset/schema-fields.ts'
import type { ServiceError } from '../../../shared/service-error.ts'
import type { CheckResult } from '../../conformance/index.ts'
import { t } from './language.ts'
import { err, indented, out } from './words.ts'

type DescribedField = Pick<SchemaField, 'path' | 'choices' | 'min' | 'max'> & {
  readonly types: readonly string[]
  /** null if the field has no default. */
  readonly default: unknown
}

type Status = {
  readonly baseUrl: string
  readonly health: Health
  /** Whether the API specification describes this version of the service. */
  readonly knownVersion: boolean
  readonly drive: DriveStatus
}

type Listed = { readonly presets: Presets; readonly tasks?: readonly string[] }

type Checked = Readonly<Record<CheckResult['outcome'], number>> & { readonly leftJobs: readonly string[] }

type DriveCheck = Record<'chosen' | 'reason', string | null> & { readonly connected: boolean }

export const serviceEvents = {
  service: ({ baseUrl: address }: { readonly kind: 'builtIn'; readonly baseUrl: string }) =>
    err(t().serviceReport.using({ address })),
  status: ({ baseUrl: address, health, knownVersion, drive }: Status) => {
    const { version, activeJobs: count } = health
    const { serviceReport } = t()
    const running = serviceReport[knownVersion ? 'running' : 'runningUntested']
    return out(
      running({ address, version, jobs: t().count.jobs({ count }) }),
      drive.connected
        ? drive.email === null
          ? serviceReport.drive
          : serviceReport.driveOf({ email: drive.email })
        : serviceReport[drive.clientConfigured ? 'driveNotConnected' : 'driveNotConfigured'],
    )
  },
  /** `tasks` are known only for the built-in service. */
  presets: ({ presets: { image, video }, tasks = [] }: Listed) =>
    out(
      ...(tasks.length === 0
        ? []
        : [t().serviceReport.tasks, ...tasks.map((name) => indented(presetName(name, t())))]),
      t().serviceReport.presetsForPhotos,
      ...image.map(indented),
      t().serviceReport.presetsForVideos,
      ...video.map(indented),
    ),
  /** A preset document with the exact text of its file. */
  preset: ({ text }: { readonly name: string; readonly text: string }) => out(...text.trimEnd().split('\n')),
  presetFields: ({ fields }: { readonly fields: readonly DescribedField[] }) => out(...fields.map(fieldLine)),
  check: ({ outcome, title, section, detail }: CheckResult) =>
    out(t().serviceReport[outcome]({ rule: t().serviceReport.rule({ title, section }), detail })),
  /** The totals of all checks of a service. `leftJobs`: IDs of jobs that the checks created and couldn't cancel. */
  checked: ({ leftJobs, ...counts }: Checked) => {
    const checks = counts.passed + counts.failed + counts.notChecked
    return out(
      t().serviceReport.checked({ checks, ...counts }),
      ...leftJobs.map((job) => t().serviceReport.leftJob({ job: job.slice(0, 100) })),
    )
  },
  driveSetup: ({ rclone, remotes, chosen }: DriveSetup) => {
    if (!rclone.found) return err(t().serviceReport.noRclone)
    if (remotes.length === 0) return err(t().serviceReport.noRemotes)
    return out(
      ...remotes.map(({ name, type }) => `${name === chosen ? '*' : ' '} ${name}  ${type}`),
      chosen === null
        ? t().serviceReport.chooseRemote
        : t().serviceReport.remoteInUse({ version: rclone.version ?? '' }),
    )
  },
  driveChosen: ({ name }: { readonly name: string | null }) =>
    out(name === null ? t().serviceReport.driveDisconnected : t().serviceReport.driveChosen({ name })),
  /** `id` is the ID of the listed folder. */
  driveFolders: ({ folders }: Pick<Extract<DriveFolders, { ok: true }>, 'id' | 'folders'>) =>
    folders.length === 0
      ? err(t().serviceReport.noFolders)
      : out(...folders.map(({ id, name }) => (id.endsWith(name) ? id : `${id}  ${name}`))),
  driveStatus: ({ connected, chosen, reason }: DriveCheck) =>
    out(
      connected
        ? t().serviceReport.driveConnected({ name: chosen ?? '' })
        : t().serviceReport.driveTrouble({ reason: reason ?? '' }),
    ),
  error: ({ about, error }: { readonly about?: string; readonly error: ServiceError }) => {
    const steps: Partial<Record<ServiceError['kind'], string>> = t().nextSteps
    const message = reasonWords(error.message, error, t())
    return err(
      about === undefined ? message : t().serviceReport.about({ about, message }),
      indented(steps[error.kind] ?? errorSentence(error, t())),
    )
  },
}

/** Renders one field, for example "image.rotate   0, 90, 180, 270 (0)". */
function fieldLine({ path, types, choices, min, max, default: usual }: DescribedField): string {
  const kinds = types
    .filter((type) => choices.every((choice) => typeof choice !== KIND_OF[type]))
    .map(kindName)
  const all = t().listed([...choices.map(String), ...kinds])
  const values = min === null || max === null ? all : t().serviceReport.limits({ values: all, min, max })
  const held = usual === null ? '' : ` (${JSON.stringify(usual)})`
  return `${path.padEnd(LONGEST_PATH)}${values}${held}`
}

const LONGEST_PATH = 26
/** The `typeof` result for each schema type. */
const KIND_OF: Readonly<Record<string, string>> = { string: 'string', number: 'number', integer: 'number' }
const kindName = (type: string): string => {
  const { text, number, wholeNumber } = t().serviceReport
  const names: Readonly<Record<string, string>> = {
    string: text,
    boolean: 'true, false',
    number,
    integer: wholeNumber,
  }
  return names[type] ?? type
}
