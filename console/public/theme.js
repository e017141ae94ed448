// Sets the chosen theme before the first paint, so a dark room never sees a white flash.
{
  let chosen = null
  try {
    chosen = localStorage.getItem('keepsake-theme')
  } catch {
    // Storage may be closed to us; the system's preference then decides.
  }
  const dark = chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
}
