/**
 * An e-mail, rendered for one recipient. Addresses are single and checked; no field contains a line break.
 */
export type RenderedEmail = {
	channel: "email";
	from: { name: string; address: string };
	to: string;
	replyTo?: string;
	subject: string;
	html: string;
	text: string;
	/** `List-Unsubscribe` address (RFC 8058); undefined if the category cannot be unsubscribed. */
	unsubscribeUrl?: string;
};

/** A text message for one phone, in E.164. */
type RenderedSms = { channel: "sms"; to: string; text: string; segments: number };

/** A push notification for one device token. */
export type RenderedPush = { channel: "push"; to: string; title: string; body: string; link?: string };

/**
 * A WhatsApp message for one phone, in E.164. `template` is the template that the vendor approved, with its
 * values in order; `text` is the same message in plain text.
 */
export type RenderedWhatsapp = {
	channel: "whatsapp";
	to: string;
	text: string;
	template?: { name: string; locale: string; values: readonly string[] };
};

/** An item of the suite's inbox for one user. */
export type RenderedInboxItem = {
	channel: "in_app";
	to: string;
	title: string;
	body: string;
	link?: string;
};

/** A message that was rendered for one recipient. It is never stored. */
export type Rendered = RenderedEmail | RenderedSms | RenderedPush | RenderedWhatsapp | RenderedInboxItem;
