// What surrounds every page: the way around, the connection, the theme, signing out.
import {
  Activity,
  Bell,
  CloudOff,
  ConciergeBell,
  GalleryHorizontalEnd,
  Gauge,
  Images,
  KeyRound,
  LogOut,
  Menu,
  Moon,
  Shapes,
  Sparkles,
  Sun,
  Ticket,
  UsersRound,
  Workflow,
} from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { NavLink, useLocation } from 'react-router'
import { useReachable } from './api/connection.ts'
import { signOut } from './api/session.ts'
import { Button } from './parts/button.tsx'
import { classes } from './parts/classes.ts'
import { Dialog } from './parts/dialog.tsx'
import { announce } from './parts/toast.tsx'
import { toggleTheme, useTheme } from './theme.ts'

const places = [
  { to: '/', name: 'Overview', icon: Gauge },
  { to: '/tasks', name: 'Tasks', icon: Images },
  { to: '/configurations', name: 'Configurations', icon: Workflow },
  { to: '/start', name: 'Make one', icon: Sparkles },
  { to: '/assets', name: 'Assets', icon: Shapes },
  { to: '/profiles', name: 'Profiles', icon: UsersRound },
  { to: '/callbacks', name: 'Callbacks', icon: Bell },
  { to: '/experiences', name: 'Experiences', icon: Ticket },
  { to: '/desk', name: 'Guest desk', icon: ConciergeBell },
  { to: '/walls', name: 'Wall', icon: GalleryHorizontalEnd },
  { to: '/tokens', name: 'Tokens', icon: KeyRound },
]
const isHere = (to: string, path: string) =>
  to === '/' ? path === '/' : path.startsWith(to) || (to === '/tasks' && path.startsWith('/groups'))

export function Shell({ children }: { children: ReactNode }) {
  const { pathname } = useLocation()
  const main = useRef<HTMLElement>(null)
  const first = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page starts at its top, and screen readers start there too.
  useEffect(() => {
    if (first.current) first.current = false
    else {
      window.scrollTo(0, 0)
      main.current?.focus({ preventScroll: true })
    }
  }, [pathname])
  return (
    <div className="lg:grid lg:grid-cols-[212px_minmax(0,1fr)]">
      <a
        href="#content"
        className="marked sr-only z-70 px-4 py-2 font-semibold focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to the content
      </a>
      <SideBar path={pathname} />
      <div className="min-w-0">
        <ConnectionBanner />
        <main
          id="content"
          ref={main}
          tabIndex={-1}
          className="outline-none focus-visible:shadow-none focus-visible:outline-none"
        >
          {children}
        </main>
      </div>
      <BottomBar path={pathname} />
    </div>
  )
}

function SideBar({ path }: { path: string }) {
  return (
    <header className="sticky top-0 hidden h-dvh flex-col border-r border-line bg-card px-3 py-5 lg:flex">
      <Brand />
      <nav aria-label="Main" className="mt-6 flex flex-col gap-0.5 overflow-y-auto px-0.5 py-0.5">
        {places.map(({ to, name, icon: Icon }) => (
          <NavLink
            key={to}
            to={to}
            aria-current={isHere(to, path) ? 'page' : undefined}
            className={classes(
              'flex min-h-10 items-center gap-3 px-3 font-semibold',
              isHere(to, path) ? 'marked' : 'rounded-lg text-soft hover:bg-ink/6 hover:text-ink',
            )}
          >
            <Icon aria-hidden className="size-[18px]" strokeWidth={1.9} />
            {name}
          </NavLink>
        ))}
      </nav>
      <div className="mt-auto flex flex-col gap-0.5 pt-4">
        <Footer />
      </div>
    </header>
  )
}

function Brand() {
  return (
    <NavLink to="/" className="flex items-center gap-2.5 rounded-lg px-2" aria-label="Keepsake, to the overview">
      <img src="/keepsake.svg" alt="" className="size-8" />
      <span className="font-display text-[21px] font-bold tracking-tight">Keepsake</span>
    </NavLink>
  )
}

function Footer() {
  const theme = useTheme()
  const quiet = 'justify-start! text-soft hover:text-ink'
  return (
    <>
      <a
        href="/docs"
        className="flex min-h-10 items-center gap-2 rounded-lg px-3.5 text-[14px] font-semibold text-soft hover:bg-ink/6 hover:text-ink"
      >
        <Activity aria-hidden className="size-4" />
        API reference
      </a>
      <Button look="quiet" icon={theme === 'dark' ? Sun : Moon} onClick={toggleTheme} className={quiet}>
        {theme === 'dark' ? 'Light theme' : 'Dark theme'}
      </Button>
      <Button
        look="quiet"
        icon={LogOut}
        onClick={() => void signOut().then(() => window.location.assign('/'))}
        className={quiet}
      >
        Sign out
      </Button>
    </>
  )
}

/** On phones and tablets: four places within reach of the thumb, the rest behind "More". */
function BottomBar({ path }: { path: string }) {
  const [open, setOpen] = useState(false)
  const rest = places.slice(4)
  const item = 'flex min-w-0 flex-1 flex-col items-center gap-0.5 py-1.5 text-[11.5px] font-semibold'
  const look = (here: boolean) => (here ? 'marked' : 'text-soft')
  // biome-ignore lint/correctness/useExhaustiveDependencies: going somewhere closes the menu.
  useEffect(() => setOpen(false), [path])
  return (
    <nav
      aria-label="Main, small screens"
      className="fixed inset-x-0 bottom-0 z-30 flex gap-1 border-t border-line bg-card px-2 pt-1.5 pb-[max(0.375rem,env(safe-area-inset-bottom))] lg:hidden"
    >
      {places.slice(0, 4).map(({ to, name, icon: Icon }) => (
        <NavLink
          key={to}
          to={to}
          aria-current={isHere(to, path) ? 'page' : undefined}
          className={classes(item, look(isHere(to, path)))}
        >
          <Icon aria-hidden className="size-5" />
          <span className="max-w-full truncate px-0.5">{name === 'Configurations' ? 'Configs' : name}</span>
        </NavLink>
      ))}
      <button
        type="button"
        onClick={() => setOpen(true)}
        aria-haspopup="dialog"
        className={classes(item, look(rest.some(({ to }) => isHere(to, path))))}
      >
        <Menu aria-hidden className="size-5" />
        More
      </button>
      <Dialog title="More" open={open} onClose={() => setOpen(false)}>
        <div className="grid grid-cols-2 gap-2">
          {rest.map(({ to, name, icon: Icon }) => (
            <NavLink
              key={to}
              to={to}
              className={classes(
                'flex min-h-12 items-center gap-3 border border-line px-3 font-semibold',
                isHere(to, path) ? 'marked' : 'rounded-lg',
              )}
            >
              <Icon aria-hidden className="size-[18px]" />
              {name}
            </NavLink>
          ))}
        </div>
        <div className="mt-3 flex flex-col">
          <Footer />
        </div>
      </Dialog>
    </nav>
  )
}

function ConnectionBanner() {
  const reachable = useReachable()
  const wasLost = useRef(false)
  useEffect(() => {
    if (reachable && wasLost.current) announce('Connected again. What you see is up to date.')
    wasLost.current = !reachable
  }, [reachable])
  return (
    <div role="status" aria-live="assertive" className="sticky top-0 z-30">
      {!reachable && (
        <p className="flex items-center gap-2.5 bg-warn-bg px-4 py-2.5 font-semibold text-warn sm:px-6 lg:px-9">
          <CloudOff aria-hidden className="size-5 shrink-0" />
          Connection lost. Trying again by itself; what you see may be out of date.
        </p>
      )}
    </div>
  )
}
