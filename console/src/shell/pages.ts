// The pages of the console, for the bars at its side and for the palette.

import {
  Bell,
  ConciergeBell,
  GalleryHorizontalEnd,
  Gauge,
  Images,
  KeyRound,
  type LucideIcon,
  Shapes,
  Sparkles,
  Ticket,
  UsersRound,
  Workflow,
} from 'lucide-react'
import { t } from '../words/t.ts'

export const places: readonly { to: string; name: string; short?: string; icon: LucideIcon }[] = [
  { to: '/', name: t('Overview'), icon: Gauge },
  { to: '/tasks', name: t('Tasks'), icon: Images },
  { to: '/configurations', name: t('Configurations'), short: t('Configs'), icon: Workflow },
  { to: '/start', name: t('Make one'), short: t('Make one|short'), icon: Sparkles },
  { to: '/assets', name: t('Assets'), icon: Shapes },
  { to: '/profiles', name: t('Profiles'), icon: UsersRound },
  { to: '/callbacks', name: t('Callbacks'), icon: Bell },
  { to: '/experiences', name: t('Experiences'), icon: Ticket },
  { to: '/desk', name: t('Guest desk'), icon: ConciergeBell },
  { to: '/walls', name: t('Wall'), icon: GalleryHorizontalEnd },
  { to: '/tokens', name: t('Tokens'), icon: KeyRound },
]

export const isHere = (to: string, path: string): boolean =>
  to === '/' ? path === '/' : path.startsWith(to) || (to === '/tasks' && path.startsWith('/groups'))
