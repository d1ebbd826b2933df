import { textOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError, type Rule } from "../../forms/rules.ts";
import { wordFor } from "../../texts/texts.ts";

export const channels = ["email", "sms", "push", "whatsapp"] as const;
export type Channel = (typeof channels)[number];

/** How the value of a credential is entered. */
type Entry = {
	/** The path of the credential: `dkim.domain` is a member of `dkim`. */
	name: CredentialName;
	kind: "text" | "secret" | "lines" | "port";
	isOptional?: true;
	/** Only a tenant's own provider has it. */
	isOfTenant?: true;
};

export type CredentialName =
	| "host"
	| "port"
	| "fromAddress"
	| "user"
	| "password"
	| "ca"
	| "dkim.domain"
	| "dkim.selector"
	| "dkim.privateKey"
	| "serverToken"
	| "messageStream"
	| "webhookUser"
	| "webhookPassword"
	| "username"
	| "apiKey"
	| "senderId"
	| "accountSid"
	| "authToken"
	| "from"
	| "projectId"
	| "clientEmail"
	| "privateKey"
	| "phoneNumberId"
	| "accessToken"
	| "appSecret";

type Kind = { channels: readonly Channel[]; credentials: readonly Entry[] };

const optional = { isOptional: true } as const;
const ofTenant = { isOfTenant: true } as const;

/** The kinds of providers with their credentials, in the order in which they are entered. */
export const kinds = {
	smtp: {
		channels: ["email"],
		credentials: [
			{ name: "host", kind: "text" },
			{ name: "port", kind: "port" },
			{ name: "fromAddress", kind: "text", ...ofTenant },
			{ name: "user", kind: "text", ...optional },
			{ name: "password", kind: "secret", ...optional },
			{ name: "ca", kind: "lines", ...optional },
			{ name: "dkim.domain", kind: "text", ...optional },
			{ name: "dkim.selector", kind: "text", ...optional },
			{ name: "dkim.privateKey", kind: "lines", ...optional },
		],
	},
	postmark: {
		channels: ["email"],
		credentials: [
			{ name: "serverToken", kind: "secret" },
			{ name: "fromAddress", kind: "text", ...ofTenant },
			{ name: "messageStream", kind: "text", ...optional },
			{ name: "webhookUser", kind: "text", ...optional },
			{ name: "webhookPassword", kind: "secret", ...optional },
		],
	},
	africastalking: {
		channels: ["sms"],
		credentials: [
			{ name: "username", kind: "text" },
			{ name: "apiKey", kind: "secret" },
			{ name: "senderId", kind: "text", ...optional },
		],
	},
	twilio: {
		channels: ["sms", "whatsapp"],
		credentials: [
			{ name: "accountSid", kind: "text" },
			{ name: "authToken", kind: "secret" },
			{ name: "from", kind: "text" },
		],
	},
	fcm: {
		channels: ["push"],
		credentials: [
			{ name: "projectId", kind: "text" },
			{ name: "clientEmail", kind: "text" },
			{ name: "privateKey", kind: "lines" },
		],
	},
	whatsapp_cloud: {
		channels: ["whatsapp"],
		credentials: [
			{ name: "phoneNumberId", kind: "text" },
			{ name: "accessToken", kind: "secret" },
			{ name: "appSecret", kind: "secret" },
		],
	},
} as const satisfies Record<string, Kind>;
export type KindName = keyof typeof kinds;

/** The credentials of a kind, of a provider of the platform or of a tenant. */
export const credentialsOf = (kind: KindName, { isPlatform }: { isPlatform: boolean }): readonly Entry[] =>
	(kinds[kind].credentials as readonly Entry[]).filter(({ isOfTenant }) => !isPlatform || !isOfTenant);

/** The vendors' names. A mail server has none. */
const vendors: Readonly<Record<string, string>> = {
	postmark: "Postmark",
	africastalking: "Africa’s Talking",
	twilio: "Twilio",
	fcm: "Firebase Cloud Messaging",
	whatsapp_cloud: "WhatsApp Cloud API",
};

/** The name of a kind; `smtp` is that of a mail server. */
export const nameOfKind = (kind: string, { smtp }: { smtp: string }): string =>
	wordFor({ ...vendors, smtp }, kind);

export const isKind = (text: string): text is KindName => Object.hasOwn(kinds, text);

/** The kinds of a channel. */
export const kindsOf = (channel: Channel): KindName[] =>
	(Object.keys(kinds) as KindName[]).filter((kind) =>
		(kinds[kind].channels as readonly Channel[]).includes(channel),
	);

/** How a connection to a mail server is encrypted. Only the platform owner may use `none`. */
export const encryptions = ["starttls", "tls", "none"] as const;

/** The name of the field of a credential. The service names it so in its errors. */
export const fieldOf = (name: string) => `credentials.${name}`;

/** Reads the credentials of a kind from a form. Empty fields are left out. */
export function readCredentials(entered: FormData, kind: KindName): Record<string, unknown> {
	const read: Record<string, unknown> = {};
	for (const { name, kind: type } of kinds[kind].credentials) {
		const text = textOf(entered, fieldOf(name));
		if (text !== "") put(read, name, type === "port" ? Number(text) : text);
	}
	if (kind !== "smtp") return read;
	const encryption = textOf(entered, fieldOf("encryption"));
	return { ...read, secure: encryption === "tls", requireTls: encryption === "starttls" };
}

function put(into: Record<string, unknown>, path: string, value: unknown): void {
	const [first = "", second] = path.split(".");
	if (second === undefined) into[first] = value;
	else into[first] = { ...(into[first] as Record<string, unknown> | undefined), [second]: value };
}

type Checking = {
	/** Whether the provider is of the platform. */
	isPlatform: boolean;
	missing: (label: string) => string;
	port: string;
	labels: Readonly<Record<CredentialName, string>>;
};

/** Whether the form has credentials: a change keeps the stored ones unless a field is filled. */
export const hasCredentials = (entered: FormData, kind: KindName): boolean =>
	kinds[kind].credentials.some(({ name }) => textOf(entered, fieldOf(name)) !== "");

/** Finds the credentials that are missing, and a port that is not a number. */
export function checkCredentials(
	entered: FormData,
	kind: KindName,
	{ isPlatform, ...words }: Checking,
): readonly InputError[] {
	const isGiven = (name: string) => textOf(entered, fieldOf(name)) !== "";
	const dkim = ["dkim.domain", "dkim.selector", "dkim.privateKey"];
	const needsDkim = dkim.some(isGiven);
	const rulesOf = ({ name, kind: type, isOptional }: Entry): Rule[] => {
		const field = fieldOf(name);
		const isNeeded = isOptional !== true || (needsDkim && dkim.includes(name));
		return [
			[isNeeded && !isGiven(name), field, words.missing(words.labels[name])],
			[type === "port" && !isPort(textOf(entered, field)), field, words.port],
		];
	};
	return errorsOf(credentialsOf(kind, { isPlatform }).flatMap(rulesOf));
}

const isPort = (text: string) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
