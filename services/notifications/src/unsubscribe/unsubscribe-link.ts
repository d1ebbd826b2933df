import { equalSecrets } from "@lango/tokens";
import type { Vault } from "../addresses/sealed-address.ts";
import { type Category, canUnsubscribe, categories } from "../template.ts";

/** What a link to unsubscribe is about. It contains the address key and not the address. */
export type UnsubscribeSubject = {
	tenantId: string;
	/** The tenant's slug, by which it is found if its id was corrected since (decision 0045). */
	slug: string;
	category: Category;
	/** The id of the key under which the address key was made. */
	keyId: string;
	addressKey: Buffer;
	locale: string;
};

const lengthMax = 600;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const base64url = /^[A-Za-z0-9_-]+$/;

/** Returns the token of a link: it does not expire, and can only switch off. */
export function signUnsubscribeToken(
	vault: Pick<Vault, "linkSignaturesOf">,
	subject: UnsubscribeSubject,
): string {
	const { tenantId, slug, category, keyId, addressKey, locale } = subject;
	const content = Buffer.from(
		[tenantId, category, keyId, addressKey.toString("base64url"), locale, slug].join("\n"),
	);
	const text = content.toString("base64url");
	const [signature] = vault.linkSignaturesOf(text);
	if (signature === undefined) throw new Error("the vault has no key");
	return `${text}.${signature.toString("base64url")}`;
}

/** Returns what a token is about; undefined if it is not one that this service signed. */
export function readUnsubscribeToken(
	vault: Pick<Vault, "linkSignaturesOf">,
	token: string,
): UnsubscribeSubject | undefined {
	const [text = "", signature = "", ...more] = token.split(".");
	if (token.length > lengthMax || more.length > 0 || !base64url.test(text) || !base64url.test(signature))
		return undefined;
	const sent = Buffer.from(signature, "base64url");
	if (!vault.linkSignaturesOf(text).some((one) => equalSecrets(one, sent))) return undefined;
	const [tenantId = "", name = "", keyId = "", key = "", locale = "", slug = ""] = Buffer.from(
		text,
		"base64url",
	)
		.toString("utf8")
		.split("\n");
	const category = categories.find((one) => one === name);
	if (category === undefined || !canUnsubscribe(category) || !uuid.test(tenantId)) return undefined;
	return { tenantId, slug, category, keyId, addressKey: Buffer.from(key, "base64url"), locale };
}
