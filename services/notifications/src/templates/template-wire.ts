import { Page } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { channels } from "../channel.ts";
import { categories, type Variable, variableKinds } from "../template.ts";
import type {
	AuthoredContent,
	TemplateSummary,
	TemplateView,
	VersionSummary,
	VersionView,
} from "./template-view.store.ts";

const DateTime = Type.String({ format: "date-time" });
const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const OneOf = (values: readonly string[], description?: string) =>
	Type.Enum([...values], { type: "string", ...(description !== undefined && { description }) });

/** The parameters of the routes of one template. */
export const TemplateParams = Type.Object({
	tenant: Type.String(),
	group: Type.String({ pattern: "^[a-z][a-z0-9_]{0,39}$" }),
	name: Type.String({ pattern: "^[a-z][a-z0-9_]{0,59}$" }),
});

const VariableMember = Type.Object({ name: Type.String(), kind: Type.String() });
const VariableWire = Type.Object({
	name: Type.String(),
	kind: OneOf(variableKinds),
	members: Type.Optional(Type.Array(VariableMember, { description: "The members of the items of a list" })),
	is_fetched: Type.Optional(Type.Boolean({ description: "The service adds the value when it sends" })),
});
const ContentWire = Type.Object({
	channel: OneOf(channels),
	locale: Type.String(),
	subject: Type.Optional(Type.String({ description: "Of an e-mail, or the title of a short message" })),
	source: Type.String({ description: "Liquid; of an e-mail MJML with Liquid" }),
	whatsapp_name: Type.Optional(Type.String({ description: "The name of the template at the vendor" })),
});

/** A version as the routes show it. */
export const VersionWire = Type.Object({
	version: Type.Integer(),
	variables: Type.Array(VariableWire),
	samples: Type.Record(Type.String(), Type.Unknown()),
	contents: Type.Array(ContentWire),
	updated_at: DateTime,
	published_at: OrNull(DateTime),
	etag: Type.Optional(Type.String({ description: "Of a draft: send it as If-Match with a change" })),
});

const origins = OneOf(
	["platform", "override", "own", "none"],
	"Whose text is in force; none: a template of the tenant that is not published",
);
const SummaryWire = Type.Object({
	path: Type.String(),
	category: OneOf(categories),
	origin: origins,
	version: OrNull(Type.Integer()),
	channels: Type.Array(Type.String()),
	locales: Type.Array(Type.String()),
	has_draft: Type.Boolean(),
	updated_at: DateTime,
});
export const SummaryPage = Page(SummaryWire);

/** A template as the routes show it. */
export const TemplateWire = Type.Object({
	path: Type.String(),
	category: OneOf(categories),
	origin: origins,
	live: OrNull(VersionWire),
	draft: OrNull(VersionWire),
	platform: OrNull(VersionWire),
});

const VersionSummaryWire = Type.Object({
	version: Type.Integer(),
	is_platform: Type.Boolean(),
	is_live: Type.Boolean(),
	published_at: DateTime,
});
export const VersionPage = Page(VersionSummaryWire);

/** Returns a template in a list as the routes show it. */
export const toSummaryWire = (template: TemplateSummary): Static<typeof SummaryWire> => ({
	path: template.path,
	category: template.category,
	origin: template.origin,
	version: template.version,
	channels: [...template.channels],
	locales: [...template.locales],
	has_draft: template.hasDraft,
	updated_at: template.updatedAt.toISOString(),
});

/** Returns a template as the routes show it. */
export const toTemplateWire = (template: TemplateView): Static<typeof TemplateWire> => ({
	path: template.path,
	category: template.category,
	origin: template.origin,
	live: template.live === undefined ? null : toVersionWire(template.live),
	draft: template.draft === undefined ? null : toVersionWire(template.draft),
	platform: template.platform === undefined ? null : toVersionWire(template.platform),
});

/** Returns a version as the routes show it. */
export const toVersionWire = (version: VersionView): Static<typeof VersionWire> => ({
	version: version.version,
	variables: version.variables.map(toVariableWire),
	samples: version.samples,
	contents: version.contents.map(toContentWire),
	updated_at: version.updatedAt.toISOString(),
	published_at: version.publishedAt?.toISOString() ?? null,
	...(version.publishedAt === null && { etag: version.tag }),
});

const toVariableWire = ({ name, kind, members, isFetched }: Variable): Static<typeof VariableWire> => ({
	name,
	kind,
	...(members !== undefined && { members: members.map((each) => ({ name: each.name, kind: each.kind })) }),
	...(isFetched === true && { is_fetched: true }),
});

const toContentWire = ({ subject, whatsapp_name, ...content }: AuthoredContent) => ({
	...content,
	...(subject !== null && { subject }),
	...(whatsapp_name !== null && { whatsapp_name }),
});

/** Returns a version in a list as the routes show it. */
export const toVersionSummaryWire = (version: VersionSummary): Static<typeof VersionSummaryWire> => ({
	version: version.version,
	is_platform: version.isPlatform,
	is_live: version.isLive,
	published_at: version.publishedAt.toISOString(),
});
