// The words on the walls, in each language that there is.
import type { Language } from '#kit/guest/guest-page.ts'

interface WallWords {
  dir: 'ltr' | 'rtl'
  title: string
  empty: string
  photo: string
  video: string
  /** The other text of the QR code. */
  code: string
  closed: string
  closedText: string
  away: string
  awayText: string
}

export const wallWords: Record<Language, WallWords> = {
  en: {
    dir: 'ltr',
    title: 'The wall',
    empty: 'The first pictures will appear here.',
    photo: 'Picture of a guest',
    video: 'Video of a guest',
    code: 'QR code that leads to',
    closed: 'There is no wall here',
    closedText: 'The link is not right, or it was revoked.',
    away: 'One moment',
    awayText: 'The wall comes back by itself.',
  },
  de: {
    dir: 'ltr',
    title: 'Die Wand',
    empty: 'Hier erscheinen gleich die ersten Bilder.',
    photo: 'Bild eines Gasts',
    video: 'Video eines Gasts',
    code: 'QR-Code, der hierhin führt:',
    closed: 'Hier ist keine Wand',
    closedText: 'Der Link stimmt nicht, oder er wurde widerrufen.',
    away: 'Einen Moment',
    awayText: 'Die Wand kommt von selbst wieder.',
  },
  fr: {
    dir: 'ltr',
    title: 'Le mur',
    empty: 'Les premières photos apparaîtront ici.',
    photo: 'Photo d’un invité',
    video: 'Vidéo d’un invité',
    code: 'Code QR qui mène à',
    closed: 'Il n’y a pas de mur ici',
    closedText: 'Le lien n’est pas bon, ou il a été révoqué.',
    away: 'Un instant',
    awayText: 'Le mur revient tout seul.',
  },
  es: {
    dir: 'ltr',
    title: 'El muro',
    empty: 'Las primeras fotos aparecerán aquí.',
    photo: 'Foto de un invitado',
    video: 'Vídeo de un invitado',
    code: 'Código QR que lleva a',
    closed: 'Aquí no hay ningún muro',
    closedText: 'El enlace no es correcto o fue revocado.',
    away: 'Un momento',
    awayText: 'El muro vuelve por sí solo.',
  },
  ar: {
    dir: 'rtl',
    title: 'الجدار',
    empty: 'ستظهر الصور الأولى هنا.',
    photo: 'صورة ضيف',
    video: 'فيديو ضيف',
    code: 'رمز QR يؤدي إلى',
    closed: 'لا يوجد جدار هنا',
    closedText: 'الرابط غير صحيح أو تم إلغاؤه.',
    away: 'لحظة واحدة',
    awayText: 'سيعود الجدار تلقائيًا.',
  },
}
