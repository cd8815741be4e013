import { focusOnceShown } from '../store/focus.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { fieldId, useStudio } from './studio-context.ts'

/** The number of unsaved changes or a link to the first error, and the buttons. An adjusted task has other buttons than a preset. */
export function StudioFoot() {
  const { document, savedAs, save, view, naming, task, t } = useStudio()
  const texts = t.studio
  const count = document.changes.value
  const isFaulty = !document.checked.value.readable || document.faults.value.length > 0
  const showFault = (): void => {
    const [first] = document.faults.value
    if (first?.path === 'name') naming.value = true
    if (view.value === 'json' || first === undefined) {
      view.value = 'json'
      focusOnceShown('#preset-json')
      return
    }
    focusOnceShown(first.path === 'name' ? '#preset-name' : faultSelector(first.path))
  }
  return (
    <footer class={`studio-foot ${task.value === null ? '' : 'for-task'}`}>
      <p class="hint" role="status">
        {isFaulty ? (
          <LinkButton label={texts.cantSave} title={texts.showFault} onPress={showFault} />
        ) : task.value !== null ? (
          ''
        ) : savedAs.value === null ? (
          texts.notSavedYet
        ) : count === 0 ? (
          texts.saved
        ) : (
          texts.changes({ count })
        )}
      </p>
      {(task.value === null || count > 0) && (
        <Button label={texts.revert} kind="quiet" disabled={count === 0} onPress={document.revert} />
      )}
      {task.value === null ? (
        <Button
          label={texts.save}
          kind="primary"
          disabled={!document.canSave.value}
          onPress={() => void save()}
        />
      ) : (
        <TaskButtons isFaulty={isFaulty} />
      )}
    </footer>
  )
}

function TaskButtons({ isFaulty }: { readonly isFaulty: boolean }) {
  const { becomePreset, naming, useForJob, t } = useStudio()
  return (
    <>
      <Button
        label={t.studio.saveAs}
        disabled={isFaulty}
        onPress={() => {
          becomePreset()
          naming.value = true
        }}
      />
      <Button
        label={t.studio.useForJob}
        kind="primary"
        disabled={isFaulty}
        onPress={() => void useForJob()}
      />
    </>
  )
}

/** Returns the selector of the control that shows the error, or of the link in an error note. */
const faultSelector = (path: string): string =>
  `#${fieldId(path)}, .studio-form [aria-invalid='true'], .studio-form .hint.error .link`
