import { integer, keyEncryptionKeys, oneOf, platformKey, serviceKey, text, url } from "@lango/chassis";

/** The settings of notifications, besides those of every domain service. */
export const settings = {
	publicUrl: url({
		env: "NOTIFICATIONS_PUBLIC_URL",
		default: "http://localhost:4002",
		because:
			"the public address of this service: the addresses of webhooks and unsubscribe links begin with it",
	}),
	keyEncryptionKeys: keyEncryptionKeys({
		because:
			"id:base64 of 32 bytes, separated by commas, newest first: they encrypt addresses, variables of messages and credentials of providers, and derive the keys by which addresses are found (docs/pages/operating.md, Rotating keys)",
	}),
	linksReadKey: serviceKey({
		purpose: "links.read",
		because: "the key for fetching links of the sign-on service, when the mail with the link is sent",
	}),
	platformKey: platformKey({
		env: "NOTIFICATIONS_API_KEY",
		because:
			"lk_<id>_<secret>: the key of programs outside of the suite, which send messages and state addresses for any tenant (docs/pages/operating.md, Send messages); without it such programs need a key of a tenant",
	}),
	usageReportKey: serviceKey({
		purpose: "usage.report",
		because: "the key for reporting sent messages to the subscription service",
	}),
	recipientsReadKey: serviceKey({
		purpose: "recipients.read",
		because: "the key for reading people of a role from the sign-on service, for messages to administrators",
	}),
	consoleUrl: url({
		env: "CONSOLE_UI_URL",
		default: "http://localhost:3001",
		because: "the address of the console, to which links in messages of the platform lead",
	}),
	fromAddress: text({
		default: "no-reply@lango.example",
		because: "the sender's address of e-mails through the platform's providers; the name is the tenant's",
	}),
	dispatch: oneOf(["on", "off"], {
		default: "on",
		because: "whether this process sends messages; off: it only accepts them",
	}),
	streamSeconds: integer({
		default: 900,
		min: 1,
		max: 86_400,
		because: "how long a stream of an inbox stays open; its client then opens the next one",
	}),
	inboxStreamsMax: integer({
		default: 5_000,
		min: 1,
		max: 100_000,
		because: "streams of inboxes that a process keeps open at once; a further one is refused (429)",
	}),
	urgentSlots: integer({
		default: 32,
		min: 1,
		max: 1_000,
		because: "urgent messages sent at once by a process",
	}),
	normalSlots: integer({
		default: 64,
		min: 1,
		max: 1_000,
		because: "other messages sent at once by a process",
	}),
	bulkSlots: integer({
		default: 64,
		min: 1,
		max: 1_000,
		because: "messages of large requests and digests sent at once by a process",
	}),
};

export type Settings = typeof settings;
