import type { ConnectionView } from '../../shared/model/connection.ts'
import { MAX_VARIATIONS } from '../../shared/model/settings.ts'
import { definesVariations } from '../../shared/preset/defines-variations.ts'
import { useViewTranslation, type App } from '../store/app.ts'
import { Stepper } from '../ui/form-controls.tsx'

/**
 * Whether to ask for the number of variations. Returns false if the built-in service would create equal results, unless several variations
 * are already chosen.
 * @param service the connection to the service that has the presets
 */
export function asksForVariations(
  app: App,
  { kind }: Pick<ConnectionView, 'kind'>,
  { presets, variations }: { readonly presets: readonly string[]; readonly variations: number },
): boolean {
  const documents = app.presets.overview.value?.documents ?? []
  const varies = documents.some(({ name, text }) => presets.includes(name) && definesVariations(text))
  return kind !== 'builtIn' || varies || variations > 1
}

/** The number of results of each file. An element with the ID `ID-sum` describes it. */
export function VariationsStepper(props: {
  readonly id: string
  readonly value: number
  readonly onChange: (variations: number) => void
}) {
  const t = useViewTranslation()
  return (
    <Stepper
      {...props}
      most={MAX_VARIATIONS}
      fewer={t.newJob.fewer}
      more={t.newJob.more}
      describedBy={`${props.id}-sum`}
    />
  )
}
