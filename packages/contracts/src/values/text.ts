// Rules for texts, without schemas. Pages import only this file, so that no schema library is sent to
// browsers.

// WHATWG HTML, "valid e-mail address"; the lookahead is the limit of RFC 5321 §4.5.3.1.1 for the part before
// the @.
export const emailForm =
	"^(?=.{1,64}@)[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$";
export const emailLengthMax = 254;

/**
 * Characters that names must not contain: control characters, line and paragraph separators, format
 * characters (including bidirectional controls), surrogates, and invisible characters (zero-width characters,
 * fillers, variation selectors).
 */
const hidden = "\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800";
export const nameForm = `^(?=\\s*\\S)[^${hidden}]*$`;
export const lineForm = `^[^${hidden}]*$`;

/** The form of the short name of a tenant. */
export const slugForm = "^[a-z0-9-]{2,63}$";

const email = new RegExp(emailForm, "u");
const name = new RegExp(nameForm, "u");
const slug = new RegExp(slugForm);

/**
 * Whether a text is a valid e-mail address as defined for `<input type="email">`, with at most 254 characters
 * and at most 64 before the @.
 */
export const isEmail = (text: string): boolean => text.length <= emailLengthMax && email.test(text);

/**
 * Whether a text is a valid name: one visible line of at most `maxLength` characters, without hidden
 * characters.
 */
export const isName = (text: string, maxLength: number): boolean =>
	[...text].length <= maxLength && name.test(text);

/** Whether a text has the form of the short name of a tenant. */
export const isSlug = (text: string): boolean => slug.test(text);
