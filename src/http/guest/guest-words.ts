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
  /** The button that asks first. */
  erase: string
  eraseAsk: string
  eraseText: string
  eraseYes: string
  eraseNo: string
  erased: string
  erasedText: string
  /** While it is not all done. */
  erasing: string
  receipt: string
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
    erase: 'Take back',
    eraseAsk: 'Take everything back?',
    eraseText:
      'All pictures and videos of this page are deleted, here and wherever that is still possible. This cannot be undone.',
    eraseYes: 'Yes, delete everything',
    eraseNo: 'No, keep it',
    erased: 'Everything was taken back',
    erasedText:
      'Your pictures and videos are deleted. The receipt tells what could not be taken back, such as mails and prints.',
    erasing: 'Your pictures and videos are being deleted. The receipt tells how far that is.',
    receipt: 'Receipt',
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
    erase: 'Zurücknehmen',
    eraseAsk: 'Alles zurücknehmen?',
    eraseText:
      'Alle Bilder und Videos dieser Seite werden gelöscht, hier und überall, wo das noch möglich ist. Das lässt sich nicht rückgängig machen.',
    eraseYes: 'Ja, alles löschen',
    eraseNo: 'Nein, behalten',
    erased: 'Alles wurde zurückgenommen',
    erasedText:
      'Deine Bilder und Videos sind gelöscht. Der Beleg sagt, was sich nicht zurücknehmen ließ, zum Beispiel E-Mails und Ausdrucke.',
    erasing: 'Deine Bilder und Videos werden gelöscht. Der Beleg sagt, wie weit das ist.',
    receipt: 'Beleg',
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
    erase: 'Tout retirer',
    eraseAsk: 'Tout retirer ?',
    eraseText:
      'Toutes les photos et vidéos de cette page seront supprimées, ici et partout où c’est encore possible. Cette action est définitive.',
    eraseYes: 'Oui, tout supprimer',
    eraseNo: 'Non, garder',
    erased: 'Tout a été retiré',
    erasedText:
      'Vos photos et vidéos sont supprimées. Le reçu indique ce qui n’a pas pu être retiré, comme les e-mails et les impressions.',
    erasing: 'Vos photos et vidéos sont en cours de suppression. Le reçu indique l’avancement.',
    receipt: 'Reçu',
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
    erase: 'Retirar todo',
    eraseAsk: '¿Retirar todo?',
    eraseText:
      'Todas las fotos y vídeos de esta página se borrarán, aquí y donde todavía sea posible. No se puede deshacer.',
    eraseYes: 'Sí, borrar todo',
    eraseNo: 'No, conservar',
    erased: 'Todo se ha retirado',
    erasedText:
      'Tus fotos y vídeos se han borrado. El recibo dice lo que no se pudo retirar, como correos e impresiones.',
    erasing: 'Tus fotos y vídeos se están borrando. El recibo dice hasta dónde.',
    receipt: 'Recibo',
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
    erase: 'سحب الكل',
    eraseAsk: 'هل تريد سحب كل شيء؟',
    eraseText: 'ستُحذف جميع صور ومقاطع هذه الصفحة، هنا وحيثما كان ذلك ممكنًا. لا يمكن التراجع عن ذلك.',
    eraseYes: 'نعم، احذف الكل',
    eraseNo: 'لا، احتفظ به',
    erased: 'تم سحب كل شيء',
    erasedText: 'حُذفت صورك ومقاطعك. يوضح الإيصال ما تعذّر سحبه، مثل رسائل البريد والمطبوعات.',
    erasing: 'يجري حذف صورك ومقاطعك. يوضح الإيصال مدى التقدم.',
    receipt: 'الإيصال',
  },
}
