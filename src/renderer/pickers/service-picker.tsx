import { serviceNameOf } from '../../shared/i18n/names.ts'
import { serviceIdOf } from '../../shared/model/connection.ts'
import { useView } from '../store/app.ts'
import { Select } from '../ui/form-controls.tsx'

/** Chooses the service of a job if there are several. */
export function ServicePicker(props: {
  readonly id: string
  /** ID of the service; undefined for the main one. */
  readonly service: string | undefined
  readonly onChoose: (service: string | undefined) => void
}) {
  const { id, service, onChoose } = props
  const { app, t } = useView()
  const services = [app.state.connection.value, ...app.state.services.value]
  if (services.length === 1) return null
  const ids = services.map(serviceIdOf)
  const [main = ''] = ids
  return (
    <>
      <label for={id}>{t.newJob.service}</label>
      <div class="control-row">
        <Select
          id={id}
          value={ids.find((one) => one === service) ?? main}
          options={ids.map((one) => ({ value: one, label: serviceNameOf(one, app.state.settings.value, t) }))}
          onChoose={(one) => onChoose(one === main ? undefined : one)}
        />
      </div>
    </>
  )
}
