// The words on the pages of guests, in each language that there is.
import type { Language } from '#kit/guest/guest-page.ts'

export interface Words {
  /** The direction of the script. */
  dir: 'ltr' | 'rtl'
  title: string
  making: string
  soon: string
  /** `{n}` is a number of seconds. */
  left: string
  failed: string
  save: string
  share: string
  copy: string
  copied: string
  notFound: string
  notFoundText: string
  gone: string
  goneText: string
}

export const words: Record<Language, Words> = {
  en: {
    dir: 'ltr',
    title: 'Your keepsake',
    making: 'Your keepsake is being made …',
    soon: 'It appears here by itself.',
    left: 'About {n} s left',
    failed: 'This one did not work out. Please ask the team at the booth.',
    save: 'Save',
    share: 'Share',
    copy: 'Copy link',
    copied: 'Copied',
    notFound: 'There is nothing here',
    notFoundText: 'Please scan the code once more, or ask the team at the booth.',
    gone: 'This keepsake is gone',
    goneText: 'Its time is over, or it was taken back.',
  },
  de: {
    dir: 'ltr',
    title: 'Dein Andenken',
    making: 'Dein Andenken entsteht gerade …',
    soon: 'Es erscheint hier von selbst.',
    left: 'Noch etwa {n} s',
    failed: 'Das hat leider nicht geklappt. Bitte frag das Team vor Ort.',
    save: 'Speichern',
    share: 'Teilen',
    copy: 'Link kopieren',
    copied: 'Kopiert',
    notFound: 'Hier ist nichts',
    notFoundText: 'Bitte scanne den Code noch einmal oder frag das Team vor Ort.',
    gone: 'Dieses Andenken ist nicht mehr da',
    goneText: 'Seine Zeit ist um, oder es wurde zurückgenommen.',
  },
  fr: {
    dir: 'ltr',
    title: 'Votre souvenir',
    making: 'Votre souvenir est en préparation …',
    soon: 'Il apparaîtra ici tout seul.',
    left: 'Encore {n} s environ',
    failed: 'Cela n’a pas fonctionné. Demandez à l’équipe sur place.',
    save: 'Enregistrer',
    share: 'Partager',
    copy: 'Copier le lien',
    copied: 'Copié',
    notFound: 'Il n’y a rien ici',
    notFoundText: 'Scannez le code encore une fois ou demandez à l’équipe sur place.',
    gone: 'Ce souvenir n’existe plus',
    goneText: 'Son temps est écoulé, ou il a été retiré.',
  },
  es: {
    dir: 'ltr',
    title: 'Tu recuerdo',
    making: 'Tu recuerdo se está preparando …',
    soon: 'Aparecerá aquí por sí solo.',
    left: 'Quedan unos {n} s',
    failed: 'No ha salido bien. Pregunta al equipo.',
    save: 'Guardar',
    share: 'Compartir',
    copy: 'Copiar enlace',
    copied: 'Copiado',
    notFound: 'Aquí no hay nada',
    notFoundText: 'Escanea el código otra vez o pregunta al equipo.',
    gone: 'Este recuerdo ya no está',
    goneText: 'Su tiempo ha terminado o fue retirado.',
  },
  ar: {
    dir: 'rtl',
    title: 'تذكارك',
    making: 'جارٍ إعداد تذكارك …',
    soon: 'سيظهر هنا تلقائيًا.',
    left: 'بقي حوالي {n} ث',
    failed: 'لم ينجح هذا. يرجى سؤال الفريق.',
    save: 'حفظ',
    share: 'مشاركة',
    copy: 'نسخ الرابط',
    copied: 'تم النسخ',
    notFound: 'لا يوجد شيء هنا',
    notFoundText: 'يرجى مسح الرمز مرة أخرى أو سؤال الفريق.',
    gone: 'هذا التذكار لم يعد موجودًا',
    goneText: 'انتهى وقته أو تم سحبه.',
  },
}
