import type { TemplateFinding } from "@lango/contracts";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../../platform.ts";
import { type ServiceScope, serviceAddress } from "../../../services/service-access.queries.ts";

/** The owner of the templates: a tenant, or below the platform owner's address the platform. */
export type TemplateScope = ServiceScope & {
	isPlatform: boolean;
	/** The owner names the platform's tenant in addition to the address; undefined for a tenant. */
	tenantId: string | undefined;
};

export const channels = ["email", "sms", "push", "whatsapp", "in_app"] as const;
export type Channel = (typeof channels)[number];

const categories = [
	...["security", "credentials", "billing", "operations", "approvals"],
	...["contact", "reports", "general", "digest"],
] as const;
/** Those of a tenant's own templates: people cannot switch off the others. */
export const ownCategories = categories.filter((one) => one !== "security" && one !== "credentials");

export const variableKinds = ["text", "number", "date", "link", "secret", "list"] as const;
export type Variable = {
	name: string;
	kind: string;
	members?: Array<{ name: string; kind: string }>;
	is_fetched?: boolean;
};

/** What a template says on a channel in a language. */
export type Content = {
	channel: Channel;
	locale: string;
	subject?: string;
	source: string;
	whatsapp_name?: string;
};

export type Samples = Readonly<Record<string, unknown>>;

/** A version of a template; only a draft has an `etag`. */
export type Version = {
	version: number;
	variables: Variable[];
	samples: Samples;
	contents: Content[];
	updated_at: string;
	published_at: string | null;
	etag?: string;
};

export type Origin = "platform" | "override" | "own" | "none";

export type Template = {
	path: string;
	category: string;
	origin: Origin;
	live: Version | null;
	draft: Version | null;
	platform: Version | null;
};

/** A template in the list. */
export type TemplateSummary = Pick<Template, "path" | "category" | "origin"> & {
	version: number | null;
	channels: Channel[];
	locales: string[];
	has_draft: boolean;
	updated_at: string;
};

/** A published version in a list. */
export type VersionSummary = {
	version: number;
	is_platform: boolean;
	is_live: boolean;
	published_at: string;
};

/** What is wrong in a draft, and where: `email.en.subject` for instance. */
export type Finding = TemplateFinding;

/** What an author saves. Without variables or samples those of the template stay. */
export type DraftBody = { variables?: Variable[]; samples: Samples; contents: Content[] };

/** What a preview shows. */
export type Rendered = { subject?: string; html?: string; text: string; segments?: number };

export const templatesKey = ({ slug, isPlatform }: TemplateScope) => ["templates", slug, isPlatform];
export const templateKey = (scope: TemplateScope, path: string) => [...templatesKey(scope), "one", path];

export const templatesAddress = (platform: Platform, scope: TemplateScope) =>
	`${serviceAddress(platform, scope)}/templates`;
const addressOf = (platform: Platform, { scope, path }: Place, rest = "") =>
	`${templatesAddress(platform, scope)}/${path}${rest}`;
export const versionsAddress = (platform: Platform, place: Place) => addressOf(platform, place, "/versions");

/** A template at a place. */
export type Place = { scope: TemplateScope; path: string };

/** Templates are the tenant's, not an outlet's. */
export const asked = ({ tenantId }: TemplateScope) => ({ outlet: "none", query: { tenantId } }) as const;

/** A template with what is in force, the draft, and the platform's. */
export function templateQuery(platform: Platform, place: Place) {
	return queryOptions({
		queryKey: templateKey(place.scope, place.path),
		queryFn: ({ signal }) =>
			platform.client.call<Template>(addressOf(platform, place), { ...asked(place.scope), signal }),
	});
}

/** A published version. Versions never change. */
export function versionQuery(platform: Platform, place: Place, version: number | undefined) {
	return queryOptions({
		queryKey: [...templateKey(place.scope, place.path), "version", version],
		queryFn: ({ signal }) =>
			platform.client.call<Version>(addressOf(platform, place, `/versions/${version}`), {
				...asked(place.scope),
				signal,
			}),
		enabled: version !== undefined,
		staleTime: Number.POSITIVE_INFINITY,
	});
}

export type NewTemplate = Required<DraftBody> & { path: string; category: string };
type Saved = { template: Template; findings: Finding[] };

export function createTemplate(platform: Platform, scope: TemplateScope, body: NewTemplate): Promise<Saved> {
	return platform.client.call(templatesAddress(platform, scope), { ...asked(scope), method: "POST", body });
}

const ifMatch = (etag: string | undefined) => (etag === undefined ? {} : { headers: { "if-match": etag } });

/** Saves the draft. `etag` is the state that the author saw; undefined: there was no draft. */
export function saveDraft(
	platform: Platform,
	place: Place,
	{ body, etag }: { body: DraftBody; etag: string | undefined },
): Promise<Saved> {
	const address = addressOf(platform, place, "/draft");
	return platform.client.call(address, { ...asked(place.scope), ...ifMatch(etag), method: "PUT", body });
}

export function publishDraft(platform: Platform, place: Place, etag: string | undefined): Promise<Template> {
	const address = addressOf(platform, place, "/publish");
	return platform.client.call(address, { ...asked(place.scope), ...ifMatch(etag), method: "POST" });
}

/** Publishes a copy of an earlier version. */
export function rollBack(platform: Platform, place: Place, version: number): Promise<Template> {
	const address = addressOf(platform, place, "/rollback");
	return platform.client.call(address, { ...asked(place.scope), method: "POST", body: { version } });
}

/** Puts the platform's template into force again; withdraws one of the tenant's own. */
export function endOverride(platform: Platform, place: Place): Promise<unknown> {
	return platform.client.call(addressOf(platform, place, "/override"), {
		...asked(place.scope),
		method: "DELETE",
	});
}

export type PreviewBody = Omit<Content, "whatsapp_name"> & { data: Samples; variables?: Variable[] };

/** What a content looks like, rendered with these values. */
export function previewQuery(platform: Platform, place: Place, body: PreviewBody) {
	return queryOptions({
		queryKey: [...templateKey(place.scope, place.path), "preview", body],
		queryFn: ({ signal }) => {
			const address = addressOf(platform, place, "/preview");
			return platform.client.call<Rendered>(address, { ...asked(place.scope), method: "POST", body, signal });
		},
		// One entry for each keystroke: they need not stay.
		gcTime: 10_000,
		retry: false,
	});
}

/** Sends the saved draft to the user, and returns the masked addresses. */
export function sendTest(
	platform: Platform,
	place: Place,
	body: { channel: Channel; locale: string; data: Samples },
): Promise<{ addresses: string[] }> {
	const address = addressOf(platform, place, "/test");
	return platform.client.call(address, { ...asked(place.scope), method: "POST", body });
}
