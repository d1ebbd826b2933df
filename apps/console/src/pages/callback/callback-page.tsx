import { ClientError } from "@lango/client";
import { useClient, useClientState } from "@lango/client/react";
import { useParams, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { findRefused, noteRefused } from "../../session/asked-tenant.ts";
import { Go } from "../../session/go.tsx";
import { BridgePage } from "../bridge/bridge-page.tsx";
import { UnlessSuspended } from "../start/suspended-page.tsx";
import { FailedPage } from "../unknown/failed-page.tsx";

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
	if (state.status === "failed") return <FailedPage error={state.error} tenant={slug} isAtCallback />;
	// The sign-in failed and was tried again without a session: there is nothing to complete any more.
	if (state.status === "signed_out" && location.search === "") return <Go to="/" />;
	return <BridgePage />;
}

/**
 * The person of this browser's session does not belong to the tenant of the address. They sign in to their own, once, and come back to
 * the address: the platform's owner sees every tenant, everybody else is told whose it is.
 */
function RefusedTenant({ error, tenant }: { error: ClientError; tenant: string }) {
	const client = useClient();
	const [returnTo] = useState(() => noteRefused(tenant));
	useEffect(() => {
		if (returnTo !== undefined) client.signIn({ returnTo }).catch(reportError);
	}, [client, returnTo]);
	return returnTo === undefined ? <Denied error={error} tenant={tenant} /> : <BridgePage />;
}

/** The tenant of the address let nobody in, or, without one, the person's own did not, to which they were led from another. */
function Denied({ error, tenant }: { error: ClientError; tenant?: string }) {
	return (
		<UnlessSuspended tenant={tenant ?? findRefused()}>
			<FailedPage error={error} tenant={tenant} isAtCallback />
		</UnlessSuspended>
	);
}
