import type { PublicTenant } from "@lango/contracts";
import { buttonLook, Notice, PasswordField, TenantBadge, TextField } from "@lango/interface";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useLocation, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import type { GateState } from "../../gate/gate.tsx";
import { acceptReturnTo } from "../../session/return-to.ts";
import { useSettings } from "../../settings.ts";
import { tenantQuery } from "../../tenant/tenant.queries.ts";
import { useTexts } from "../../texts/texts.ts";
import { SentForm } from "../form/sent-form.tsx";
import { GateFrame } from "../gate-frame.tsx";
import { NoticePage } from "../notice-page.tsx";
import { type Credentials, signIn } from "./sign-in.queries.ts";

const route = getRouteApi("/login");

/** `/login?return_to=…&tenant=…`: sign-in (§4.1, §5.2, §5.3). Both parameters are optional. */
export function SignInPage() {
	const { authUrl } = useSettings();
	const { return_to: requested = "", tenant: slug = "" } = route.useSearch();
	const returnTo =
		requested === "" ? undefined : acceptReturnTo(requested, { pagesUrl: location.origin, authUrl });
	const tenant = useQuery(tenantQuery(authUrl, slug));

	if (requested !== "" && returnTo === undefined) return <BadReturn />;
	if (tenant.data === null) return <UnknownTenant slug={slug} mayOmit={returnTo === undefined} />;
	return <SignIn slug={slug} returnTo={returnTo} tenant={tenant.data} />;
}

type SignIn = { slug: string; returnTo: string | undefined; tenant: PublicTenant | undefined };

function SignIn({ slug, returnTo, tenant }: SignIn) {
	const { authUrl } = useSettings();
	const { field, signIn: words } = useTexts();
	const { state } = useLocation();
	const attempt = useSignIn({ slug, returnTo });
	const emailHint = state.registered?.email ?? state.emailHint ?? emailHintOf(returnTo);
	return (
		<GateFrame
			title={slug === "" ? words.title : words.titleTo(tenant?.name ?? slug)}
			above={tenant && <TenantBadge tenant={tenant} authUrl={authUrl} />}
			gate={gateOf(attempt.status)}
		>
			<Introduction />
			<SentForm
				submit={words.submit}
				submitting={words.submitting}
				required={["email", "password"]}
				isBusy={attempt.isPending || attempt.isSuccess}
				// The next person at this browser does not see the address.
				isKept={false}
				failure={attempt.error}
				focusFirst={emailHint === "" ? "email" : "password"}
				onSubmit={({ email = "", password = "" }) => attempt.mutate({ email, password })}
			>
				{(validity) => (
					<>
						<TextField
							{...validity("email")}
							name="email"
							type="email"
							label={field.email}
							autoComplete="username"
							defaultValue={emailHint}
						/>
						<PasswordField
							{...validity("password")}
							name="password"
							label={field.password}
							autoComplete="current-password"
							isBusy={attempt.isPending}
						/>
					</>
				)}
			</SentForm>
			<OtherLinks />
		</GateFrame>
	);
}

function useSignIn({ slug, returnTo }: Pick<SignIn, "slug" | "returnTo">) {
	const { authUrl } = useSettings();
	const navigate = route.useNavigate();
	const { history } = useRouter();
	const queries = useQueryClient();
	const { reset, ...attempt } = useMutation({
		mutationFn: (entered: Omit<Credentials, "tenantSlug">) =>
			signIn(authUrl, { ...entered, tenantSlug: slug }),
		onSuccess: async (email) => {
			for (const key of ["me", "session"]) queries.removeQueries({ queryKey: [key] });
			// A page of these pages. The value of a link in the fragment goes with it.
			if (returnTo?.startsWith(`${location.origin}/`))
				history.replace(returnTo.slice(location.origin.length) + location.hash);
			// A full page load, which sends the session cookie to the sign-on service (§5.2).
			// It takes the place of this page: "back" leads to where the person came from.
			else if (returnTo !== undefined) location.replace(returnTo);
			else await navigate({ to: "/signed-in", state: { signedInAs: email }, replace: true });
		},
	});
	// A page restored from the browser cache would still be busy.
	useEffect(() => {
		const onPageShow = (event: PageTransitionEvent) => event.persisted && reset();
		addEventListener("pageshow", onPageShow);
		return () => removeEventListener("pageshow", onPageShow);
	}, [reset]);
	return attempt;
}

/** The message after a registration or a new password, otherwise the lead. */
function Introduction() {
	const { signIn: words } = useTexts();
	const { registered, isPasswordSet } = useLocation().state;
	if (registered === undefined && isPasswordSet !== true)
		return <p className="mt-3 text-quiet">{words.lead}</p>;
	const message =
		registered === undefined
			? words.passwordSet
			: registered.waits
				? words.registeredWaits(registered.tenant)
				: words.registered(registered.tenant);
	return (
		<div className="mt-5">
			<Notice kind="done">{message}</Notice>
		</div>
	);
}

function OtherLinks() {
	const { signIn: words } = useTexts();
	const search = route.useSearch();
	const look =
		"inline-flex min-h-11 min-w-11 items-center font-semibold text-link underline underline-offset-4";
	return (
		<div className="mt-4 flex flex-wrap items-center justify-between gap-x-6">
			<Link to="/forgot-password" className={look}>
				{words.forgotten}
			</Link>
			<p className="flex items-center gap-2 text-quiet">
				{words.newHere}
				<Link to="/register" search={search} className={look}>
					{words.register}
				</Link>
			</p>
		</div>
	);
}

function gateOf(status: "idle" | "pending" | "success" | "error"): GateState {
	if (status === "success") return "open";
	return status === "pending" ? "opening" : "closed";
}

/** The e-mail address in the login_hint of the application (OpenID Connect Core §3.1.2.1). */
function emailHintOf(returnTo: string | undefined): string {
	const hint = returnTo === undefined ? null : new URL(returnTo).searchParams.get("login_hint");
	return hint?.includes("@") && hint.length <= 254 ? hint : "";
}

function BadReturn() {
	const { title, text, advice, without } = useTexts().badReturn;
	return (
		<NoticePage title={title} text={text} advice={advice}>
			<Link to="/login" search={{}} className={buttonLook("plain")}>
				{without}
			</Link>
		</NoticePage>
	);
}

/** Offers a sign-in without the tenant, except with return_to: there it would fail again. */
function UnknownTenant({ slug, mayOmit }: { slug: string; mayOmit: boolean }) {
	const { title, text, advice, without } = useTexts().unknownTenant;
	return (
		<NoticePage title={title} text={text(slug)} advice={advice}>
			{mayOmit && (
				<Link to="/login" search={{}} className={buttonLook("plain")}>
					{without}
				</Link>
			)}
		</NoticePage>
	);
}
