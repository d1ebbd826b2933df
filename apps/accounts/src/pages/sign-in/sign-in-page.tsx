import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect } from "react";
import type { GateState } from "../../gate/gate.tsx";
import type { Settings } from "../../settings.ts";
import { texts } from "../../texts.ts";
import { NoticePage, wayOn } from "../notice-page.tsx";
import { PageFrame } from "../page-frame.tsx";
import { acceptReturnTo } from "./return-to.ts";
import { type Credentials, signIn, tenantQuery } from "./sign-in.queries.ts";
import { SignInForm } from "./sign-in-form.tsx";
import { TenantBadge } from "./tenant-badge.tsx";

const route = getRouteApi("/login");

/** The sign-in page: `/login?return_to=…&tenant=…`, both optional (§4.1, §5.2, §5.3). */
export function SignInPage({ authUrl }: Settings) {
	const { return_to: asked = "", tenant: slug = "" } = route.useSearch();
	const returnTo = asked === "" ? undefined : acceptReturnTo(asked, { pagesUrl: location.origin, authUrl });
	const tenant = useQuery(tenantQuery(authUrl, slug));

	if (asked !== "" && returnTo === undefined) return <BadReturn />;
	if (tenant.data === null) return <UnknownTenant slug={slug} mayLeaveOut={returnTo === undefined} />;
	return <SignIn authUrl={authUrl} slug={slug} returnTo={returnTo} tenant={tenant.data} />;
}

type SignIn = Settings & {
	slug: string;
	returnTo: string | undefined;
	tenant: Parameters<typeof TenantBadge>[0]["tenant"] | undefined;
};

function SignIn({ authUrl, slug, returnTo, tenant }: SignIn) {
	const navigate = route.useNavigate();
	const { reset, ...attempt } = useMutation({
		mutationFn: (entered: Omit<Credentials, "tenantSlug">) =>
			signIn(authUrl, { ...entered, tenantSlug: slug }),
		onSuccess: async (email) => {
			// A full page load, so that the session cookie goes along to the sign-on service (§5.2).
			if (returnTo !== undefined) location.assign(returnTo);
			else await navigate({ to: "/signed-in", state: { signedInAs: email }, replace: true });
		},
	});
	// Back from where the sign-in led, browsers show this page as it was left: still busy.
	useEffect(() => {
		const begin = (event: PageTransitionEvent) => event.persisted && reset();
		addEventListener("pageshow", begin);
		return () => removeEventListener("pageshow", begin);
	}, [reset]);

	const { title, titleTo, lead } = texts.signIn;
	return (
		<PageFrame
			title={slug === "" ? title : titleTo(tenant?.name ?? slug)}
			above={tenant && <TenantBadge tenant={tenant} authUrl={authUrl} />}
			gate={gateOf(attempt.status)}
		>
			<p className="mt-3 text-quiet">{lead}</p>
			<SignInForm
				isBusy={attempt.isPending || attempt.isSuccess}
				fault={attempt.error}
				emailHint={emailHintOf(returnTo)}
				onSubmit={(entered) => attempt.mutate(entered)}
			/>
		</PageFrame>
	);
}

function gateOf(status: "idle" | "pending" | "success" | "error"): GateState {
	if (status === "success") return "open";
	return status === "pending" ? "opening" : "closed";
}

/** The application may say who it expects (OpenID Connect Core §3.1.2.1, login_hint). */
function emailHintOf(returnTo: string | undefined): string {
	const hint = returnTo === undefined ? null : new URL(returnTo).searchParams.get("login_hint");
	return hint?.includes("@") && hint.length <= 254 ? hint : "";
}

function BadReturn() {
	const { title, text, advice, without } = texts.badReturn;
	return (
		<NoticePage title={title} text={text} advice={advice}>
			<Link to="/login" search={{}} className={wayOn}>
				{without}
			</Link>
		</NoticePage>
	);
}

/** With a way back to somewhere, leaving the tenant out here would only fail there. */
function UnknownTenant({ slug, mayLeaveOut }: { slug: string; mayLeaveOut: boolean }) {
	const { title, text, advice, without } = texts.unknownTenant;
	return (
		<NoticePage title={title} text={text(slug)} advice={advice}>
			{mayLeaveOut && (
				<Link to="/login" search={{}} className={wayOn}>
					{without}
				</Link>
			)}
		</NoticePage>
	);
}
