import { useApp } from '../store/app.ts'
import { LinkButton } from '../ui/button.tsx'
import './toast-host.css'

/** Shows one toast for six seconds, or longer while it is hovered or focused. */
export function ToastHost() {
  const { toasts } = useApp()
  const toast = toasts.current.value
  if (toast === null) return null
  const leave = ({ currentTarget }: { readonly currentTarget: Element }): void => {
    if (!currentTarget.matches(':hover, :focus-within')) toasts.release()
  }
  return (
    <div
      key={toast.id}
      class="toast"
      role="status"
      onPointerEnter={toasts.hold}
      onPointerLeave={leave}
      onFocusIn={toasts.hold}
      onFocusOut={leave}
    >
      <span>
        {toast.lead !== null && <b>{toast.lead} </b>}
        {toast.text}
        {toast.detail !== null && <span class="hint block">{toast.detail}</span>}
      </span>
      {toast.actions.map(({ label, run }) => (
        <LinkButton
          key={label}
          label={label}
          onPress={() => {
            toasts.dismiss()
            run()
          }}
        />
      ))}
    </div>
  )
}
