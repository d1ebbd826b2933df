import {
	deadJobRoutes,
	deadLetterRoutes,
	type FailedWork,
	type Route,
	type ServiceDefinition,
} from "@lango/chassis";
import { notice, toPage, toTable } from "./table.ts";

/**
 * docs/generated/access.md: the roles of each service with their permissions, and the access of each of its
 * routes.
 */
export function describeAccess(services: readonly ServiceDefinition[]): string {
	return toPage([
		notice,
		"# Access",
		"The access of every route, by service.",
		"Every service that consumes events has these routes, too:",
		toTable(["method", "address", "asks for"], ofEvents.map(toRow)),
		"Every service with jobs has these routes, too:",
		toTable(["method", "address", "asks for"], ofJobs.map(toRow)),
		...services.flatMap(describeService),
	]);
}

function describeService({ name, access, routes, requiredFeatures = [] }: ServiceDefinition): string[] {
	const rows = routes.flatMap((group) => group({ name })).map(toRow);
	const sorted = rows.toSorted((a, b) => `${a[1]} ${a[0]}`.localeCompare(`${b[1]} ${b[0]}`, "en"));
	const roles = Object.entries(access?.roles ?? {}).map(([role, permissions]) => [
		role,
		permissions.map(code).join(" "),
	]);
	return [
		`## ${name}`,
		toTable(["method", "address", "asks for"], sorted),
		...(requiredFeatures.length === 0
			? []
			: [`Features that operations require: ${requiredFeatures.map(code).join(" ")}`]),
		...(access === undefined ? [] : [`Permissions: ${access.permissions.map(code).join(" ")}`]),
		...(roles.length === 0 ? [] : [toTable(["role", "holds"], roles)]),
	];
}

/** Only the URLs and rules of these are read. */
const ofEvents = deadLetterRoutes({} as FailedWork);
const ofJobs = deadJobRoutes({} as FailedWork);

const toRow = (route: Route): string[] => [String(route.method), code(route.url), describeRules(route)];

function describeRules({
	access,
	own,
	outlets,
	product,
	feature,
	customerFeature,
	limit,
	useCase,
	subscription,
}: Route): string {
	const rules = [
		describeWho(access),
		own && "their own things with the `_own` of it",
		outlets && `tenant-wide: ${outlets.because}`,
		product && `product ${code(product)}`,
		feature && `feature ${code(feature)}`,
		customerFeature && `feature ${code(customerFeature)} for customers`,
		limit && `limit ${code(limit)}`,
		useCase && `outlets of ${useCase.join(", ")}`,
		subscription && `no subscription: ${subscription.exempt}`,
	];
	return rules.filter((rule) => rule !== undefined && rule !== "").join("; ");
}

function describeWho(access: Route["access"]): string {
	switch (access.kind) {
		case "open":
			return `open: ${access.because}`;
		case "signed_in":
			return "signed in";
		case "api_key":
			return "API key";
		case "platform_owner":
			return "the platform's owner";
		case "permit": {
			const own = access.permissions.map(code).join(" or ");
			const codes = access.canonical === undefined ? [] : [`canonical ${code(access.canonical)}`];
			return [...(own === "" ? [] : [own]), ...codes].join(" and ");
		}
	}
}

const code = (text: string) => `\`${text}\``;
