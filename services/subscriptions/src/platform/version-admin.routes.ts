import { type Failure, pageBy, permit, type Route, readKey, route, totalOf } from "@lango/chassis";
import { FailureBody, Page } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import Type, { type Static, type TObject, type TString } from "typebox";
import { originOf, recordAuditEntry } from "../audit/origin.ts";
import { failures } from "../failures.ts";
import { CountedPageQuery, numberForm } from "../page.ts";
import { platformRight } from "../rights.ts";
import { unknownCode } from "./unknown-code.ts";
import {
	type CatalogueKind,
	lockItem,
	type Published,
	retireVersion,
	type VersionPage,
} from "./version.store.ts";

type Parts = { db: Database; now: () => Date };

/** How plans and add-ons differ: their fields, and how these are stored. */
export type Versioned<Item extends TObject, Version extends TObject> = {
	kind: CatalogueKind;
	/** The address of the list. */
	url: `/api/v1/admin/${string}`;
	/** The name in summaries, with its article. */
	name: string;
	Code: TString;
	Item: Item;
	Version: Version;
	/** A version in lists, without its number and times. */
	Listed: TObject;
	exists: () => Failure;
	notFound: () => Failure;
	versionNotFound: () => Failure;
	/** False if the code or the position is taken. */
	add: (tx: Database, item: Static<Item>) => Promise<boolean>;
	listUnknown: (tx: Database, version: Static<Version>) => Promise<Array<{ field: string; code: string }>>;
	addVersion: (tx: Database, code: string, version: Static<Version>) => Promise<number>;
	listVersions: (db: Database, page: VersionPage) => Promise<Array<Published<{ terms: object }>>>;
};

const refusals = { "4xx": FailureBody, "5xx": FailureBody } as const;
const tags = ["platform"];

/** Creates plans or add-ons, and publishes and retires their versions. A published version never changes. */
export function versionedRoutes<Item extends TObject, Version extends TObject>(
	parts: Parts,
	versioned: Versioned<Item, Version>,
): readonly Route[] {
	return [
		itemRoute(parts, versioned),
		listRoute(parts, versioned),
		versionRoute(parts, versioned),
		retireRoute(parts, versioned),
	];
}

const itemRoute = <Item extends TObject, Version extends TObject>(
	{ db, now }: Parts,
	{ kind, url, name, Code, Item, exists, add }: Versioned<Item, Version>,
): Route =>
	route({
		method: "POST",
		url,
		access: permit(platformRight),
		schema: {
			summary: `Create ${name}; it is on offer once it has a version`,
			tags,
			body: Item,
			response: { 201: Type.Object({ code: Code }), ...refusals },
		},
		handler: async (request, reply) => {
			const item = request.body as Static<Item> & { code: string };
			await db.transaction(async (tx) => {
				if (!(await add(tx, item))) throw exists();
				const entry = { action: `${kind}.made`, subject: item.code, detail: { after: item }, at: now() };
				await recordAuditEntry(tx, originOf(request), entry);
			});
			return reply.code(201).send({ code: item.code });
		},
	});

const listRoute = <Item extends TObject, Version extends TObject>(
	{ db }: Parts,
	{ url, name, Code, Listed, listVersions }: Versioned<Item, Version>,
): Route =>
	route({
		method: "GET",
		url: `${url}/:code/versions`,
		access: permit(platformRight),
		schema: {
			summary: `List the versions of ${name}, newest first, including retired ones`,
			tags,
			params: Type.Object({ code: Code }),
			querystring: CountedPageQuery,
			response: {
				200: Page(
					Type.Object({
						...Listed.properties,
						version: Type.Integer(),
						created_at: Type.String({ format: "date-time" }),
						retired_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
					}),
				),
				...refusals,
			},
		},
		handler: async (request) => {
			const { limit, cursor, total } = request.query;
			const { code } = request.params;
			const value = readKey(cursor, numberForm);
			const before = value === undefined ? undefined : Number(value);
			const found = await listVersions(db, { code, before, max: limit + 1 });
			return {
				...pageBy(found, { limit, toWire, keyOf: ({ version }) => String(version) }),
				...(await totalOf(db, total, (all, page) =>
					listVersions(all, { code, before: undefined, max: page.limit }),
				)),
			};
		},
	});

const toWire = ({ terms, version, createdAt, retiredAt }: Published<{ terms: object }>) => ({
	...terms,
	version,
	created_at: createdAt.toISOString(),
	retired_at: retiredAt?.toISOString() ?? null,
});

const versionRoute = <Item extends TObject, Version extends TObject>(
	{ db, now }: Parts,
	{ kind, url, name, Code, Version, notFound, listUnknown, addVersion }: Versioned<Item, Version>,
): Route =>
	route({
		method: "POST",
		url: `${url}/:code/versions`,
		access: permit(platformRight),
		schema: {
			summary: `Publish the next version of ${name}; tenants keep the version they have`,
			tags,
			params: Type.Object({ code: Code }),
			body: Version,
			response: { 201: Type.Object({ code: Code, version: Type.Integer() }), ...refusals },
		},
		handler: async (request, reply) => {
			const { code } = request.params;
			const after = request.body as Static<Version>;
			const version = await db.transaction(async (tx) => {
				if (!(await lockItem(tx, kind, code))) throw notFound();
				const [unknown] = await listUnknown(tx, after);
				if (unknown !== undefined) throw unknownCode(unknown);
				const made = await addVersion(tx, code, after);
				const detail = { version: made, after };
				const entry = { action: `${kind}_version.made`, subject: code, detail, at: now() };
				await recordAuditEntry(tx, originOf(request), entry);
				return made;
			});
			return reply.code(201).send({ code, version });
		},
	});

const retireRoute = <Item extends TObject, Version extends TObject>(
	{ db, now }: Parts,
	{ kind, url, name, Code, versionNotFound }: Versioned<Item, Version>,
): Route =>
	route({
		method: "POST",
		url: `${url}/:code/versions/:version/retire`,
		access: permit(platformRight),
		schema: {
			summary: `Retire a version of ${name}: the newest version that is not retired is on offer`,
			tags,
			params: Type.Object({ code: Code, version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) }),
			response: { 200: Type.Object({ code: Code, version: Type.Integer() }), ...refusals },
		},
		handler: (request) =>
			db.transaction(async (tx) => {
				const { code, version } = request.params;
				const outcome = await retireVersion(tx, kind, { code, version, now: now() });
				if (outcome === "absent") throw versionNotFound();
				if (outcome === "already") throw failures.version_retired();
				const entry = { action: `${kind}_version.retired`, subject: code, detail: { version }, at: now() };
				await recordAuditEntry(tx, originOf(request), entry);
				return { code, version };
			}),
	});
