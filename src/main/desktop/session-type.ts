/** Whether the user's session is Wayland's. The app itself may still run on X11. */
export const isWaylandSession = (environment: NodeJS.ProcessEnv): boolean =>
  environment['XDG_SESSION_TYPE'] === 'wayland'
