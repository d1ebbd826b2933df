import { ClientError } from "@lango/client";
import { useClient, useClientState } from "@lango/client/react";
import { useParams, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { SignInFailedPage } from "../pages/errors/sign-in-failed-page.tsx";
import { LoadingPage } from "../pages/loading/loading-page.tsx";
import { UnlessSuspended } from "../pages/sign-in/suspended-page.tsx";
import { findRefusedTenant, noteRefusedTenant } from "../session/requested-tenant.ts";
import { Redirect } from "./redirect.tsx";

/**
 * `/auth/callback` and `/{tenant}/auth/callback`: exchanges the authorization code for tokens, once, and
 * removes it from the address bar.
 */
export function CallbackPage() {
	const client = useClient();
	const state = useClientState();
	const { history } = useRouter();
	const { slug } = useParams({ strict: false });
	useEffect(() => {
		client.completeSignIn().then(
			(returnTo) => history.replace(returnTo),
			// A ClientError is shown below, from the state. Any other error is a bug of these pages.
			(error: unknown) =>
				error instanceof ClientError ? history.replace(location.pathname) : reportError(error),
		);
	}, [client, history]);
	if (state.status === "failed" && state.error.code === "access_denied")
		return slug === undefined ? (
			<Denied error={state.error} />
		) : (
			<RefusedTenant error={state.error} tenant={slug} />
		);
	if (state.status === "failed") return <SignInFailedPage error={state.error} tenant={slug} isAtCallback />;
	// The sign-in failed and was retried without a session, so there is nothing to complete.
	if (state.status === "signed_out" && location.search === "") return <Redirect to="/" />;
	return <LoadingPage />;
}

/**
 * The user of this browser session is not a member of the tenant in the address. They are signed in to
 * their own tenant, once, and return to the address. The platform owner can open every tenant; other users
 * see a message.
 */
function RefusedTenant({ error, tenant }: { error: ClientError; tenant: string }) {
	const client = useClient();
	const [returnTo] = useState(() => noteRefusedTenant(tenant));
	useEffect(() => {
		if (returnTo !== undefined) client.signIn({ returnTo }).catch(reportError);
	}, [client, returnTo]);
	return returnTo === undefined ? <Denied error={error} tenant={tenant} /> : <LoadingPage />;
}

/**
 * The tenant in the address refused access. Without one, the user's own tenant refused it after a redirect
 * from another tenant.
 */
function Denied({ error, tenant }: { error: ClientError; tenant?: string }) {
	return (
		<UnlessSuspended tenant={tenant ?? findRefusedTenant()}>
			<SignInFailedPage error={error} tenant={tenant} isAtCallback />
		</UnlessSuspended>
	);
}
