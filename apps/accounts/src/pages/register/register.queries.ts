import type { Joined, Registration } from "@lango/contracts";
import { queryOptions } from "@tanstack/react-query";
import { post, requestPublic } from "../../session/request.ts";
import type { Entered } from "../form/entered.ts";
import { toOrganization } from "../organisation/organisation-fields.tsx";
import { signIn } from "../sign-in/sign-in.queries.ts";

/** A plan, as far as the registration shows it (`GET /api/v1/plans`, §4.2). */
type PlanOffer = {
	code: string;
	name: string;
	price_minor: number;
	currency: string;
	interval: "month" | "year";
	trial_days: number;
};

/** The public plans, requested without cookies. */
export function plansQuery(subscriptionsUrl: string | undefined) {
	return queryOptions({
		queryKey: ["plans", subscriptionsUrl],
		queryFn: async () => {
			const { items } = (await requestPublic(`${subscriptionsUrl}/api/v1/plans`)) as { items: PlanOffer[] };
			return items;
		},
		enabled: subscriptionsUrl !== undefined,
		staleTime: 60_000,
		retry: 1,
	});
}

/** The kind of registration: with a new tenant, with a join request, or with an invitation. */
export type Way =
	| { kind: "create_new" }
	| { kind: "join_existing" }
	| { kind: "invited"; invitation: string };

/** Registers a person (§4.1). Throws ClientError. */
async function register(authUrl: string, way: Way, entered: Entered): Promise<Joined> {
	return (await post(`${authUrl}/api/v1/auth/register`, toRegistration(way, entered))) as Joined;
}

/**
 * Registers a person and signs them in to the tenant. The registration stays if the sign-in fails: then the
 * person signs in on their own. Throws ClientError.
 */
export async function registerAndSignIn(
	authUrl: string,
	way: Way,
	entered: Entered,
): Promise<{ joined: Joined; isSignedIn: boolean }> {
	const joined = await register(authUrl, way, entered);
	const { email = "", password = "" } = entered;
	const credentials = { email, password, tenantSlug: joined.tenant.slug };
	const isSignedIn = await signIn(authUrl, credentials).then(
		() => true,
		() => false,
	);
	return { joined, isSignedIn };
}

/** Converts the form to the request body of the sign-on service. */
export function toRegistration(way: Way, entered: Entered): Registration {
	const { name = "", email = "", password = "", plan = "" } = entered;
	const person = { name, email, password };
	if (way.kind === "invited") return { ...person, org_action: "join_existing", invitation: way.invitation };
	if (way.kind === "join_existing")
		return {
			...person,
			org_action: "join_existing",
			tenant_slug: entered.tenant_slug ?? "",
			requested_role: entered.requested_role === "rider" ? "rider" : "member",
		};
	return {
		...person,
		org_action: "create_new",
		organization: toOrganization(entered),
		...(plan === "" ? {} : { selected_plan: plan }),
	};
}
