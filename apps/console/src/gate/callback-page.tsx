import { ClientError } from "@lango/client";
import { useClient, useClientState } from "@lango/client/react";
import { useParams, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { SignInFailedPage } from "../pages/errors/sign-in-failed-page.tsx";
import { LoadingPage } from "../pages/loading/loading-page.tsx";
import { UnlessSuspended } from "../pages/sign-in/suspended-page.tsx";
import { findRefusedTenant, noteRefusedTenant } from "../session/requested-tenant.ts";
import { Redirect } from "./redirect.tsx";

/** `/auth/callback` and `/{tenant}/auth/callback`: what the sign-on service sent back becomes tokens, once, and leaves the address bar. */
export function CallbackPage() {
	const client = useClient();
	const state = useClientState();
	const { history } = useRouter();
	const { slug } = useParams({ strict: false });
	useEffect(() => {
		client.completeSignIn().then(
			(returnTo) => history.replace(returnTo),
			// Shown below, from the state; anything else is a mistake in these pages.
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
	// The sign-in failed and was tried again without a session: there is nothing to complete any more.
	if (state.status === "signed_out" && location.search === "") return <Redirect to="/" />;
	return <LoadingPage />;
}

/**
 * The person of this browser's session does not belong to the tenant of the address. They sign in to their own, once, and come back to
 * the address: the platform's owner sees every tenant, everybody else is told whose it is.
 */
function RefusedTenant({ error, tenant }: { error: ClientError; tenant: string }) {
	const client = useClient();
	const [returnTo] = useState(() => noteRefusedTenant(tenant));
	useEffect(() => {
		if (returnTo !== undefined) client.signIn({ returnTo }).catch(reportError);
	}, [client, returnTo]);
	return returnTo === undefined ? <Denied error={error} tenant={tenant} /> : <LoadingPage />;
}

/** The tenant of the address let nobody in, or, without one, the person's own did not, to which they were led from another. */
function Denied({ error, tenant }: { error: ClientError; tenant?: string }) {
	return (
		<UnlessSuspended tenant={tenant ?? findRefusedTenant()}>
			<SignInFailedPage error={error} tenant={tenant} isAtCallback />
		</UnlessSuspended>
	);
}
