import { connectionLine } from '../../shared/i18n/sentences.ts'
import type { ConnectionState } from '../../shared/model/connection.ts'
import { useApp, useTranslation, withModifier } from '../store/app.ts'
import { chipsOf, isNarrowed } from '../store/search.ts'
import { Button, IconButton, LinkButton } from '../ui/button.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { showSettings } from '../store/navigation.ts'
import { JobList } from './job-list.tsx'
import { FilterChips, SearchBar } from './search-bar.tsx'

/** The left column: what is going on and what ever went on. */
export function JobsColumn() {
  const app = useApp()
  const listOnly = app.route.listOnly.value
  const t = useTranslation()
  return (
    <section class="side" data-region="side" role={listOnly ? 'main' : undefined} aria-label={t.list.region}>
      {listOnly && <h1 class="sr">{t.list.region}</h1>}
      <SearchBar />
      {app.searchText.value === '' && <DropHere />}
      <FilterChips />
      <ListOrWhyNot />
      <ConnectionLine />
    </section>
  )
}

function DropHere() {
  const app = useApp()
  const t = useTranslation()
  return (
    <div class="drop-here">
      <div class="tray">
        <Icon name="falling" class="falling" />
        <p>{t.list.dropHere}</p>
        <Button label={t.list.chooseFiles} onPress={() => void app.attempt(app.bridge.draft.chooseFiles())} />
      </div>
    </div>
  )
}

function ListOrWhyNot() {
  const app = useApp()
  const t = useTranslation()
  const { total, query } = app.history.view.value
  if (total === 0 && isNarrowed(query)) return <NoMatch />
  const nothingYet = total === 0 && app.state.jobs.value.length === 0 && app.state.outbox.value.length === 0
  if (nothingYet) {
    return (
      <div class="scroll">
        <p class="hint list-note">{t.list.emptyHistory}</p>
      </div>
    )
  }
  return <JobList />
}

function NoMatch() {
  const app = useApp()
  const t = useTranslation()
  const { text } = app.history.view.value.query
  const filters = chipsOf(app.filters.value, t).length
  return (
    <div class="scroll">
      <div class="no-match" role="status">
        <p>
          <b>{text === undefined ? t.list.noneLeft : t.list.noMatch({ text })}</b>
        </p>
        <p class="hint">
          {t.list.searchLooksAt} {filters > 0 && t.list.filtersOn({ count: filters })}
        </p>
        <div class="line wraps">
          {text !== undefined && (
            <Button
              label={t.list.clearSearch}
              onPress={() => {
                app.searchText.value = ''
              }}
            />
          )}
          {filters > 0 && (
            <Button
              label={t.list.removeFilters({ count: filters })}
              kind="quiet"
              onPress={() => {
                app.filters.value = {}
              }}
            />
          )}
        </div>
      </div>
    </div>
  )
}

const SIGNS: Readonly<Record<ConnectionState['status'], readonly [IconName, string]>> = {
  online: ['dot', 'good'],
  connecting: ['queue', ''],
  unconfigured: ['off', ''],
  keyRefused: ['key', 'bad'],
  offline: ['off', 'warn'],
  wrongVersion: ['warn', 'warn'],
}

/** At the foot of the list: which service there is, and the way to the settings. */
function ConnectionLine() {
  const app = useApp()
  const t = useTranslation()
  const connection = app.state.connection.value
  const paused = app.state.outboxPaused.value
  const [icon, tone] = SIGNS[connection.state.status]
  return (
    <footer class="foot">
      <span class="connection" role="status">
        <Icon name={paused ? 'stop' : icon} class={`sign ${paused ? '' : tone}`} />
        <span class="clip">{paused ? t.sending.paused : connectionLine(connection, t)}</span>
      </span>
      {paused && (
        <LinkButton label={t.sending.resume} onPress={() => void app.attempt(app.bridge.outbox.resume())} />
      )}
      <IconButton
        icon="gear"
        label={t.list.settings({ keys: withModifier(app.facts, ',') })}
        onPress={() => showSettings(app)}
      />
    </footer>
  )
}
