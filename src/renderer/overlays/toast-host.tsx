import { useApp } from '../store/app.ts'
import { LinkButton } from '../ui/button.tsx'

/** One at a time, for six seconds; under the pointer or with the focus inside it stays. */
export function ToastHost() {
  const { toasts } = useApp()
  const toast = toasts.current.value
  if (toast === null) return null
  return (
    <div
      key={toast.id}
      class="toast"
      role="status"
      onPointerEnter={toasts.hold}
      onPointerLeave={toasts.release}
      onFocusIn={toasts.hold}
      onFocusOut={toasts.release}
    >
      <span>
        {toast.text}
        {toast.detail !== undefined && <span class="hint block">{toast.detail}</span>}
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
