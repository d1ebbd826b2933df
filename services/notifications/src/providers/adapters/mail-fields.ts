import Type from "typebox";
import type { RenderedEmail } from "../../rendering/rendered.ts";

/** Is entered with the credentials of a tenant's own provider, and stored apart from them. */
export const FromAddress = Type.Optional(Type.String({ maxLength: 254 }));

/** The mail as an account sends it: from its own address, if it has one, with the name as it is. */
export const fromAccount = (mail: RenderedEmail, { fromAddress }: { fromAddress?: string }): RenderedEmail =>
	fromAddress === undefined ? mail : { ...mail, from: { ...mail.from, address: fromAddress } };

/** One address without quotes, comments and lists: nothing in it can end a command or a header. */
const singleAddress = /^[^\p{Cc}\s"(),:;<>@[\\\]]+@[^\p{Cc}\s"(),:;<>@[\\\]]+$/u;

/** Addresses and texts are checked where they come in; what could inject a header is refused here, too. */
export function isSafe({ from, to, replyTo, subject, unsubscribeUrl = "" }: RenderedEmail): boolean {
	const addresses = [from.address, to, ...(replyTo === undefined ? [] : [replyTo])];
	return (
		addresses.every((address) => singleAddress.test(address)) &&
		!/\p{Cc}/u.test(`${from.name}${subject}`) &&
		!/[\p{Cc}\s<>]/u.test(unsubscribeUrl)
	);
}

/**
 * The same at each attempt, so a mailbox can recognize a mail that came twice: of the platform's domain,
 * whichever provider sends it.
 */
export const messageIdOf = ({ from }: RenderedEmail, deliveryId: string): string =>
	`<${deliveryId}@${from.address.slice(from.address.lastIndexOf("@") + 1)}>`;

/** The headers of every mail besides those that have fields of their own. */
export const headersOf = ({ unsubscribeUrl }: RenderedEmail): Record<string, string> => ({
	// Stops automatic answers (RFC 3834).
	"Auto-Submitted": "auto-generated",
	// RFC 8058 §3.1.
	...(unsubscribeUrl !== undefined && {
		"List-Unsubscribe": `<${unsubscribeUrl}>`,
		"List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
	}),
});
