import { type Signal, useSignal } from '@preact/signals'
import type { RuleTranslation } from '../../shared/i18n/i18n.ts'
import type { FolderRule, RuleAction } from '../../shared/model/folder-rules.ts'
import type { RuleCondition } from '../../shared/model/rule-conditions.ts'
import { actionsOf, type WatchFolderView } from '../../shared/model/watch-folder.ts'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../pickers/form-dialog.tsx'
import { Segments } from '../ui/form-controls.tsx'
import { decimalOf } from '../../shared/typed-number.ts'
import { savedDefaults } from '../../shared/model/settings.ts'
import { useApp, useTranslation, type App } from '../store/app.ts'
import { useRead } from '../store/use-read.ts'
import { focusOnceShown } from '../store/focus.ts'
import { connectionOf } from '../store/services.ts'
import type { RulePlace } from '../store/overlays.ts'
import { type ConditionForm, conditionOf, formOf, nextForm } from './conditions.ts'
import { ConditionRow } from './condition-row.tsx'
import { hasJobFault, JobFields } from './job-fields.tsx'
import { rulesIn, saveRules } from './rule-actions.ts'
import { useRuleTranslation } from './translations.ts'
import './rule-dialog.css'

/** Edits a rule of a watched folder, or what happens to files that match no rule. */
export function RuleDialog(props: {
  /** ID of the watched folder. */
  readonly folder: string
  readonly place: RulePlace
  readonly onClose: () => void
}) {
  const { folder: id, place, onClose } = props
  const app = useApp()
  const [folders] = useRead(() => app.bridge.watch.list(), [])
  const folder = folders.value?.find((one) => one.id === id)
  return folder !== undefined && app.ruleWords() !== null ? (
    <RuleForm folder={folder} place={place} onClose={onClose} />
  ) : null
}

type Process = Extract<RuleAction, { readonly do: 'process' }>

function RuleForm(props: {
  readonly folder: WatchFolderView
  readonly place: RulePlace
  readonly onClose: () => void
}) {
  const { folder, place, onClose } = props
  const app = useApp()
  const words = useTranslation()
  const t = useRuleTranslation()
  const texts = t.editor
  const before = ruleAt(app, folder, place)
  const conditions = useSignal(before.when.map((condition, key) => formOf(condition, key, words)))
  const doing = useSignal<RuleAction['do']>(before.action.do)
  const process = useSignal<Process>(
    before.action.do === 'process'
      ? before.action
      : place === 'rest'
        ? processAs(folder)
        : processLikeNewJobs(app, folder),
  )
  const { variations, service } = folder
  const typedSize = useSignal<string | null>(null)
  const job = { ...process.value, variations, service, typedSize }
  const decimal = decimalOf(words)
  const when = conditions.value.flatMap((form) => conditionOf(form, decimal) ?? [])
  const isValid =
    when.length === conditions.value.length && (doing.value === 'ignore' || !hasJobFault(app, job))
  const title =
    place === 'rest'
      ? t.page.everythingElse
      : place === 'new'
        ? texts.titleNew
        : texts.title({ number: place + 1 })

  const save = async (): Promise<void> => {
    if (!isValid) return
    const action: RuleAction = doing.value === 'ignore' ? { do: 'ignore' } : process.value
    if (await app.succeeds(saveRule(app, folder, place, { ...before, when, action }))) onClose()
  }
  return (
    <FormDialog
      title={title}
      class="rule-form"
      submit={texts.save}
      disabled={!isValid}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <div class="rule-fields" data-scroller>
        {place !== 'rest' && <Conditions forms={conditions} />}
        <h3>{texts.thenHeading}</h3>
        <div class="dialog-body labeled">
          <span class="label">{texts.action}</span>
          <span>
            <Segments
              label={texts.action}
              value={doing.value}
              options={{ process: texts.process, ignore: texts.ignore }}
              onChoose={(value) => (doing.value = value)}
            />
          </span>
          {doing.value === 'process' && (
            <>
              <JobFields
                prefix="rule"
                {...job}
                onPresets={(presets) => (process.value = { ...process.value, presets: [...presets] })}
                onOutput={(output) => (process.value = { ...process.value, output })}
              />
              {job.output.kind === 'replace' && <p class="hint">{vaultHint(app, t)}</p>}
            </>
          )}
        </div>
      </div>
    </FormDialog>
  )
}

function Conditions({ forms }: { readonly forms: Signal<readonly ConditionForm[]> }) {
  const texts = useRuleTranslation().editor
  const add = (): void => {
    const form = nextForm(forms.value, Math.max(-1, ...forms.value.map(({ key }) => key)) + 1)
    forms.value = [...forms.value, form]
    focusOnceShown(`#condition-${form.key}`)
  }
  const remove = (index: number): void => {
    forms.value = forms.value.toSpliced(index, 1)
    const next = forms.value[index] ?? forms.value.at(-1)
    focusOnceShown(next === undefined ? '#add-condition' : `#condition-${next.key}`)
  }
  return (
    <>
      <h3>{texts.when}</h3>
      <div class="conditions">
        {forms.value.length === 0 && <p class="hint">{texts.everyFile}</p>}
        {forms.value.map((form, index) => (
          <ConditionRow
            key={form.key}
            form={form}
            onChange={(changed) => (forms.value = forms.value.with(index, changed))}
            onRemove={() => remove(index)}
          />
        ))}
        <div>
          <Button id="add-condition" label={texts.addCondition} icon="plus" kind="quiet" onPress={add} />
        </div>
      </div>
    </>
  )
}

function vaultHint(app: App, { editor }: RuleTranslation): string {
  const days = app.state.settings.value.keepOriginalsDays
  return days === null ? editor.inVaultForever : editor.inVault({ count: days })
}

/** Returns the rule to edit; for the files that match no rule, one without conditions. A new rule starts with the defaults of new jobs. */
function ruleAt(app: App, folder: WatchFolderView, place: RulePlace): FolderRule {
  const rules = rulesIn(folder)
  const known = typeof place === 'number' ? rules?.rules[place] : undefined
  if (known !== undefined) return known
  const rest = rules && actionsOf(folder, rules).at(-1)
  const first: RuleCondition = { about: 'kind', is: 'image' }
  return place === 'rest' && rest !== undefined
    ? { id: 'rest', when: [], action: rest }
    : { id: crypto.randomUUID(), when: [first], action: processLikeNewJobs(app, folder) }
}

const processAs = (folder: WatchFolderView): Process => ({
  do: 'process',
  presets: folder.presets,
  output: folder.output,
})

function processLikeNewJobs(app: App, folder: WatchFolderView): Process {
  const { draft } = app.state
  const settings = app.state.settings.peek()
  return {
    do: 'process',
    presets: savedDefaults(settings, connectionOf(app, folder).kind === 'builtIn'),
    output: settings.defaultOriginals ?? settings.defaultOutput ?? draft.peek().output,
  }
}

function saveRule(app: App, folder: WatchFolderView, place: RulePlace, rule: FolderRule): Promise<void> {
  const known = rulesIn(folder)
  if (known === undefined) return Promise.resolve()
  const { rules } = known
  if (place === 'rest') {
    const { action } = rule
    return action.do === 'ignore'
      ? saveRules(app, folder.id, { rules, rest: 'ignore' })
      : saveRules(
          app,
          folder.id,
          { rules, rest: 'process' },
          { presets: action.presets, output: action.output },
        )
  }
  return saveRules(app, folder.id, {
    ...known,
    rules: place === 'new' ? [...rules, rule] : rules.with(place, rule),
  })
}
