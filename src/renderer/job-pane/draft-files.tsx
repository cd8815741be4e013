import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Draft, IntakeProgress } from '../../shared/model/draft.ts'
import { shortId } from '../../shared/i18n/names.ts'
import { IconButton, LinkButton, Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Name } from '../ui/name.tsx'
import { RovingRows, type RowPlace } from '../ui/roving-rows.tsx'
import { useApp, type App, useView } from '../store/app.ts'
import { draftFiles, type Reject } from '../store/draft-contents.ts'
import { useBuiltInForDraft } from '../store/services.ts'
import { removeFromDraft } from '../store/start-draft.ts'
import { DraftItems, removeOnKey } from './draft-items.tsx'
import './draft-files.css'

const REJECT_HEIGHT = 46
/** Number of rejected files shown while the list is collapsed. */
const REJECTS_SHOWN = 3

/** The files of the draft: the rejected files with reasons, then the accepted files or the Drive folder. */
export function DraftFiles({ draft }: { readonly draft: Draft }) {
  const { app, t } = useView()
  const { items, rejected } = draftFiles(app)
  return (
    <div class="draft-files" data-scroller role="group" aria-label={t.newJob.files}>
      <IntakeLine />
      {rejected.length > 0 && <Rejects rejected={rejected} />}
      {draft.source.kind === 'drive' ? (
        <DriveSource folderId={draft.source.folderId} />
      ) : (
        <DraftItems items={items} hasRejects={rejected.length > 0} />
      )}
    </div>
  )
}

function IntakeLine() {
  const intake = useApp().state.intake.value
  return intake === null ? null : <Intake {...intake} />
}

/** Shows the progress of a folder scan, or asks how many of its files to add. */
function Intake({ found, looked, question }: IntakeProgress) {
  const { app, t } = useView()
  const words =
    question === null ? t.newJob.looking({ found, looked }) : t.newJob.tooMany({ found: question.found })
  // Use the announcer, because screen readers would read a live region again for every folder.
  useEffect(() => app.announcer.say(words, question === null ? 'progress' : 'now'), [words])
  const answer = (choice: 'takeAll' | 'takeSome' | 'stop') => () =>
    void app.attempt(app.bridge.draft.answerIntake(choice))
  return (
    <div class="subhead intake">
      <span>{words}</span>
      <span class="control-row wrap">
        {question !== null && (
          <>
            <Button label={t.newJob.takeAll({ found: question.found })} onPress={answer('takeAll')} />
            <Button label={t.newJob.takeSome({ cap: question.cap })} onPress={answer('takeSome')} />
          </>
        )}
        <Button label={t.newJob.stop} kind="quiet" onPress={answer('stop')} />
      </span>
    </div>
  )
}

function Rejects({ rejected }: { readonly rejected: readonly Reject[] }) {
  const { app, t } = useView()
  const open = useSignal(false)
  const folds = rejected.length > REJECTS_SHOWN
  const shown = folds && !open.value ? rejected.slice(0, REJECTS_SHOWN) : rejected
  return (
    <>
      <div class="subhead warning">
        <span>
          <Icon name="warn" />
          {t.newJob.rejected({ count: rejected.length })}
        </span>
        <LinkButton
          label={t.newJob.removeThese({ count: rejected.length })}
          onPress={() => void removeRejects(app, rejected)}
        />
      </div>
      <RovingRows
        items={shown}
        rowHeight={REJECT_HEIGHT}
        wraps
        label={t.newJob.rejected({ count: rejected.length })}
        onKey={({ path }, event) => removeOnKey(app, event, path)}
        row={(item, place) => <RejectRow key={item.path} item={item} place={place} />}
      />
      {folds && (
        <div class="subhead">
          <LinkButton
            label={open.value ? t.newJob.showFewer : t.newJob.showAll({ count: rejected.length })}
            onPress={() => (open.value = !open.value)}
          />
        </div>
      )}
    </>
  )
}

function RejectRow({ item, place }: { readonly item: Reject; readonly place: RowPlace }) {
  const { app, t } = useView()
  const why = t.rejections[item.reason]
  return (
    <li class="draft-file error" {...place}>
      <span class="thumbnail small">
        <Icon name="warn" />
      </span>
      <span class="row-text">
        <Name name={item.name} />
        <span class="hint warning block truncate" title={item.detail ?? why}>
          {why}
          {item.item !== undefined && (
            <>
              {' '}
              <LinkButton label={t.preview.useBuiltIn} onPress={() => useBuiltInForDraft(app)} />
            </>
          )}
        </span>
      </span>
      <span class="file-size">{item.size !== undefined && t.size(item.size)}</span>
      <IconButton
        icon="close"
        label={t.newJob.remove({ name: item.name })}
        skipTab
        onPress={() => void removeFromDraft(app, item.path)}
      />
    </li>
  )
}

/** Removes the rejected files. If these include files that no preset handles, removes those from the draft, too. */
function removeRejects(app: App, rejected: readonly Reject[]): Promise<unknown> {
  const { draft } = app.bridge
  const isStored = rejected.length === app.state.draft.peek().rejected.length
  return app.attempt(isStored ? draft.removeRejected() : draft.removeItems(rejected.map(({ path }) => path)))
}

function DriveSource({ folderId }: { readonly folderId: string }) {
  const { app, t } = useView()
  return (
    <ul>
      <li class="draft-file">
        <span class="thumbnail small">
          <Icon name="drive" />
        </span>
        <span class="row-text" title={folderId}>
          {t.newJob.driveInput({ id: shortId(folderId) })}
        </span>
        <span />
        <IconButton
          icon="close"
          label={t.newJob.backToFiles}
          onPress={() => void app.attempt(app.bridge.draft.update({ driveInput: null }))}
        />
      </li>
    </ul>
  )
}
