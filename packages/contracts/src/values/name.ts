import Type from "typebox";
import { emailForm, emailLengthMax, lineForm, nameForm } from "./text.ts";

/** An e-mail address; see `isEmail`. */
export const Email = Type.String({
	minLength: 3,
	maxLength: emailLengthMax,
	pattern: emailForm,
	"x-error": "must be an e-mail address",
});

/** The name of a person, a tenant, an outlet or a client; see `isName`. */
export const Name = (maxLength: number) =>
	Type.String({
		minLength: 1,
		maxLength,
		pattern: nameForm,
		"x-error": "must be one line of visible characters, and not only spaces",
	});

/** One line of text, possibly empty, without hidden characters. */
export const Line = (maxLength: number) =>
	Type.String({ maxLength, pattern: lineForm, "x-error": "must be one line of visible characters" });
