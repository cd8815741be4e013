/** Whether the user's session is a Wayland session. The app may still run on X11. */
export const isWaylandSession = (environment: NodeJS.ProcessEnv): boolean =>
  environment['XDG_SESSION_TYPE'] === 'wayland'
