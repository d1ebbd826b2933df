import { randomUUID } from "node:crypto";
import { type AccessTokenClaims, canonicalPermissions, type PublicTenant } from "@lango/contracts";
import { callAll, type MatrixRoute } from "./matrix.ts";
import {
	type PolicyOptions,
	permissionsOf,
	routesOf,
	type Sample,
	sampleFor,
	samplesOf,
	sceneOf,
	send,
	usualRoles,
} from "./policy.ts";
import { type Answer, addTenant, type Stand } from "./stand.ts";

/** The tenant's outlets by their letters in the matrix. */
const letters = ["M", "S", "F"] as const;
type Letter = (typeof letters)[number];
type Outlets = Record<Letter, string>;

/** A column: a token or key, and the selected outlet. */
type Column = { name: string; tenant: PublicTenant; token?: string; headers: Record<string, string> };
/** A line: a route, and the outlet of the resource it is called on (`-`: without an outlet). */
type Line = { route: MatrixRoute; thing: Letter | "-" };
type Block = { role: string; columns: readonly Column[]; lines: readonly Line[] };

/** `only` selects routes by their addresses. */
type OutletOptions = PolicyOptions & { only?: RegExp };

/** The matrix of one role: a line for each route and resource, and a cell for each column. */
type OutletBlock = {
	role: string;
	columns: readonly string[];
	lines: ReadonlyArray<{ line: string; cells: readonly string[] }>;
};

/**
 * Calls the guarded routes of a service in a tenant with three outlets: as people with one outlet, with two
 * and none selected, with none assigned, and of the headquarters, with the till token of a person who has
 * more outlets, and with a key for one outlet; selecting no outlet, the first, and the third; in a tenant
 * with open outlet isolation; and as a person of another tenant. A cell contains the status and the outlets
 * in the response (`M`, `S`, `F`; `-`: rows without an outlet).
 */
async function callOutletMatrix(
	stand: Stand,
	{ only = /./, ...options }: OutletOptions,
): Promise<OutletBlock[]> {
	const strict = openPlace(stand, "tawi");
	const open = openPlace(stand, "wazi", "open");
	const samples = samplesOf(stand, options);
	const guarded = await guardedRoutes(stand);
	const cache = new Map<string, Promise<Sample>>();
	const prepare = async ({ route, thing }: Line, { tenant }: Column) => {
		const key = `${tenant.slug} ${route.method} ${route.url} ${thing}`;
		const at = thing === "-" ? undefined : (tenant.slug === "tawi" ? strict : open).outlets[thing];
		const sample = cache.get(key) ?? sampleFor(route, samples, sceneOf(stand, tenant, at));
		cache.set(key, sample);
		return { sample: await sample, spend: () => cache.delete(key) };
	};
	for (const { tenant, outlets } of [strict, open]) await fill(stand, { guarded, samples, tenant, outlets });
	const names = [...Object.entries(strict.outlets), ...Object.entries(open.outlets)];
	const cellOf = async (line: Line, column: Column) => {
		const { sample, spend } = await prepare(line, column);
		const { tenant, ...as } = column;
		const answer = await send(stand, line.route, { ...as, address: tenant.slug, sample });
		if (answer.status < 300 && line.route.method !== "GET") spend();
		return toCell(answer, names);
	};
	const asked = guarded.filter(({ url }) => only.test(url));
	const blocks = await blocksOf(stand, { options, strict, open, guarded: asked });
	const cells = new Map<Line, string[]>();
	// Lists come first, so that they do not contain what later calls create.
	const inOrder = blocks.flatMap(({ lines, columns }) => lines.map((line) => ({ line, columns })));
	for (const { line, columns } of inOrder.sort((left, right) => rankOf(left.line) - rankOf(right.line))) {
		cells.set(line, await callAll(line.route, columns, (column) => cellOf(line, column)));
	}
	return blocks.map(({ role, columns, lines }) => ({
		role,
		columns: columns.map(({ name }) => name),
		lines: lines.map((line) => ({
			line: `${line.route.method.padEnd(7)}${line.route.url} ${line.thing}`,
			cells: cells.get(line) ?? [],
		})),
	}));
}

const namesThing = (url: string) => /:(?!tenant\b)/.test(url);
const rankOf = ({ route }: Line) => (route.method === "GET" && !namesThing(route.url) ? 0 : 1);

/** Prints the matrix, the text of a service's `test/outlets.txt`. */
export async function printOutlets(stand: Stand, options: OutletOptions): Promise<string> {
	const blocks = await callOutletMatrix(stand, options);
	const all = blocks.flatMap(({ lines }) => lines);
	const first = Math.max(...all.map(({ line }) => line.length)) + 2;
	const width = Math.max(...all.flatMap(({ cells }) => cells.map(({ length }) => length)), 7) + 1;
	const row = (head: string, cells: readonly string[]) =>
		`${head.padEnd(first)}${cells.map((cell) => cell.padEnd(width)).join("")}`.trimEnd();
	return `${blocks
		.map(({ role, columns, lines }) =>
			[row(role, columns), ...lines.map(({ line, cells }) => row(line, cells))].join("\n"),
		)
		.join("\n\n")}\n`;
}

/** The lines of a printed matrix, their cells without padding. */
export const parseOutlets = (text: string): Array<{ role: string; line: string; cells: string }> =>
	text
		.trim()
		.split("\n\n")
		.flatMap((block) => {
			const [head = "", ...lines] = block.split("\n");
			const [role = ""] = head.split(" ");
			return lines.map((text) => {
				const [, line = "", cells = ""] = /^(\w+ +\S+ [MSF-]) +(.*)$/.exec(text) ?? [];
				return { role, line, cells: cells.replaceAll(/ +/g, " ") };
			});
		});

type Place = { tenant: PublicTenant; outlets: Outlets };

function openPlace(stand: Stand, slug: string, outletIsolation: "strict" | "open" = "strict"): Place {
	const outlets = { M: randomUUID(), S: randomUUID(), F: randomUUID() };
	const listed = letters.map((letter) => ({ id: outlets[letter], code: letter }));
	return { tenant: addTenant(stand, slug, { outlets: listed, outletIsolation }), outlets };
}

type Filling = {
	guarded: readonly MatrixRoute[];
	samples: ReturnType<typeof samplesOf>;
	tenant: PublicTenant;
	outlets: Outlets;
};

/** Creates one of everything at each outlet and without an outlet, so that lists have items. */
async function fill(stand: Stand, { guarded, samples, tenant, outlets }: Filling): Promise<void> {
	const making = guarded.filter(({ method, url }) => method === "POST" && !namesThing(url));
	for (const at of [outlets.M, outlets.S, outlets.F, undefined]) {
		const scene = sceneOf(stand, tenant, at);
		for (const route of making) {
			const { body, headers, isPersonal } = await sampleFor(route, samples, scene);
			// The platform owner, who makes everything, has no things of a person.
			const { method, url } = route;
			const request = { method, url, ...(body && { body }), ...(headers && { headers }) };
			if (isPersonal !== true) await scene.send(request);
		}
	}
}

async function guardedRoutes(stand: Stand): Promise<MatrixRoute[]> {
	const address = stand.tenants.uhai.slug;
	const guarded: MatrixRoute[] = [];
	for (const route of routesOf(stand).filter(({ url }) => url.includes(":tenant"))) {
		const { status } = await send(stand, route, { address, sample: {} });
		if (status === 401) guarded.push(route);
	}
	const name = ({ method, url }: MatrixRoute) => `${url} ${method}`;
	return guarded.toSorted((left, right) => name(left).localeCompare(name(right)));
}

type Asking = { options: PolicyOptions; strict: Place; open: Place; guarded: readonly MatrixRoute[] };

/**
 * An administrator with every permission on all routes; operators and viewers on the routes that are
 * limited to outlets.
 */
async function blocksOf(stand: Stand, { options, strict, open, guarded }: Asking): Promise<Block[]> {
	const { viewer, operator } = options.roles ?? usualRoles;
	const linesOf = (routes: readonly MatrixRoute[]) =>
		routes.flatMap((route): Line[] => {
			const isOfOutlets =
				route.tenantWide === undefined && (namesThing(route.url) || route.method === "POST");
			return (isOfOutlets ? (["M", "F", "-"] as const) : (["-"] as const)).map((thing) => ({ route, thing }));
		});
	const everywhere = [...guarded].sort(
		(left, right) => Number(left.tenantWide !== undefined) - Number(right.tenantWide !== undefined),
	);
	const bound = guarded.filter(({ tenantWide }) => tenantWide === undefined);
	const people = (role: string, isEverything = false) =>
		peopleOf(stand, { options, strict, open, role, isEverything });
	return [
		{ role: "everything", columns: await people(viewer, true), lines: linesOf(everywhere) },
		{ role: operator, columns: await people(operator), lines: linesOf(bound) },
		{ role: viewer, columns: await people(viewer), lines: linesOf(bound) },
	];
}

type People = Omit<Asking, "guarded"> & { role: string; isEverything: boolean };

async function peopleOf(
	stand: Stand,
	{ options, strict, open, role, isEverything }: People,
): Promise<Column[]> {
	const meet = async ({ tenant }: Pick<Place, "tenant">, claims: Partial<AccessTokenClaims>) => {
		const sub = randomUUID();
		const more = { sub, ...claims, ...(isEverything && { permissions: [...canonicalPermissions] }) };
		const token = stand.token(tenant, role, more);
		const given = { base: options.base, tenant, token, sub };
		await becomeKnown(stand, given);
		if (isEverything) await giveEverything(stand, given);
		return { tenant, token, sub };
	};
	const { M, S } = strict.outlets;
	const scopes = [
		["hq", { is_hq_user: true, outlet_scope: "all" }],
		["one", { outlet_scope: "selected", outlet_id: M }],
		["two", { outlet_scope: "unselected", outlet_ids: [M, S] }],
		["none", { outlet_scope: "unselected", outlet_ids: [] }],
	] as const;
	const columns: Column[] = [];
	for (const [scope, { ...claims }] of scopes) {
		const { tenant, token } = await meet(strict, claims as Partial<AccessTokenClaims>);
		columns.push(...inTurn({ tenant, token }, { name: scope, outlets: strict.outlets }));
	}
	if (options.signInAtTill !== undefined) {
		const { tenant, sub } = await meet(strict, { outlet_scope: "unselected", outlet_ids: [M, S] });
		const token = await options.signInAtTill(sceneOf(stand, tenant, M), sub);
		columns.push(...inTurn({ tenant, token }, { name: "till", outlets: strict.outlets }));
	}
	if (isEverything) columns.push(...(await keysOf(stand, options.base, strict)));
	const inOpen = { outlet_scope: "selected", outlet_id: open.outlets.M } as const;
	const openOne = await meet(open, inOpen);
	columns.push({ token: openOne.token, tenant: openOne.tenant, name: "open:one", headers: {} });
	// A person of another tenant, at an outlet there, calls this tenant.
	const { kahawa } = stand.tenants;
	const theirs = { outlet_scope: "selected", outlet_id: stand.outletOf(kahawa) } as const;
	const { token } = await meet({ tenant: kahawa }, theirs);
	columns.push({ token, tenant: strict.tenant, name: "other", headers: {} });
	columns.push({ token, tenant: strict.tenant, name: "other@M", headers: { "x-outlet-id": M } });
	return columns;
}

/** The columns of one credential: without an outlet, at the first, and at the third. */
const inTurn = (
	who: Pick<Column, "tenant" | "token">,
	{ name, outlets }: { name: string; outlets: Outlets },
): Column[] => [
	{ ...who, name, headers: {} },
	...(["M", "F"] as const).map((letter) => ({
		...who,
		name: `${name}@${letter}`,
		headers: { "x-outlet-id": outlets[letter] },
	})),
];

type Given = { base: string; tenant: PublicTenant; token: string; sub: string };

/** The service meets the person, as with their first request. */
async function becomeKnown(stand: Stand, { base, tenant, token }: Given): Promise<void> {
	const me = routesOf(stand).find(({ url }) => url === `${base}/auth/me`);
	if (me === undefined) throw new Error(`${stand.name} has no auth/me`);
	await send(stand, me, { address: tenant.slug, sample: {}, token });
}

/** Assigns a role with every permission of the service, in the whole tenant. */
async function giveEverything(stand: Stand, { base, tenant, sub }: Given): Promise<void> {
	const { make, unique } = sceneOf(stand, tenant);
	const [code, permissions] = [unique(), (await permissionsOf(stand, base)).map((one) => one.code)];
	await make("POST", `${base}/roles`, { code, permissions });
	await make("POST", `${base}/roles/${code}/assignments`, { user_id: sub });
}

/** A key with every permission, limited to the first outlet. */
async function keysOf(stand: Stand, base: string, { tenant, outlets }: Place): Promise<Column[]> {
	const permissions = [
		...(await permissionsOf(stand, base)).map(({ code }) => code),
		...canonicalPermissions,
	];
	const { make } = sceneOf(stand, tenant);
	const body = { name: "of one outlet", permissions, outlet_ids: [outlets.M] };
	const { key } = await make("POST", `${base}/api-keys`, body);
	const headers = { "x-api-key": String(key) };
	return [
		{ name: "key", tenant, headers },
		{ name: "key@F", tenant, headers: { ...headers, "x-outlet-id": outlets.F } },
	];
}

/** The status, and the outlets in the response. */
function toCell({ status, body }: Answer, names: ReadonlyArray<readonly [string, string]>): string {
	if (status >= 300) return String(status);
	const text = JSON.stringify(body);
	const seen = names.filter(([, id]) => text.includes(id)).map(([letter]) => letter);
	return `${status}${seen.length > 0 || text.includes('"outlet_id":null') ? " " : ""}${seen.join("")}${text.includes('"outlet_id":null') ? "-" : ""}`;
}
