import { useClient, useClientState } from "@lango/client/react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { TenantNotFoundPage } from "../pages/errors/tenant-not-found-page.tsx";
import { LoadingPage } from "../pages/loading/loading-page.tsx";
import { OtherTenantPage } from "../pages/sign-in/other-tenant-page.tsx";
import { SignedOutPage } from "../pages/sign-in/signed-out-page.tsx";
import { UnlessSuspended } from "../pages/sign-in/suspended-page.tsx";
import { usePlatform } from "../platform.ts";
import { findRefusedTenant } from "../session/requested-tenant.ts";
import { tenantQuery } from "../tenant/tenant.queries.ts";
import { isJustSignedOut, leave } from "./leave.ts";

/** Starts a sign-in, to the tenant of the address if there is one. */
export function SignInStep({ tenant }: { tenant: string | undefined }) {
	const client = useClient();
	const state = useClientState();
	const found = useQuery(tenantQuery(usePlatform(), tenant));
	if (found.data === null && tenant !== undefined) return <TenantNotFoundPage slug={tenant} />;
	if (tenant !== undefined && found.isPending) return <LoadingPage />;
	if (state.status === "ready" && tenant !== undefined)
		return <ToOtherTenant tenant={tenant} isMember={isMemberOf(state.profile.memberships, tenant)} />;
	return isJustSignedOut(client) ? <SignedOutPage tenant={tenant} /> : <Leave tenant={tenant} />;
}

/** The user is signed in to another tenant. A member of this tenant is signed in to it without a question. */
function ToOtherTenant({ tenant, isMember }: { tenant: string; isMember: boolean }) {
	if (isMember && findRefusedTenant() !== tenant) return <Leave tenant={tenant} />;
	return (
		<UnlessSuspended tenant={tenant}>
			<OtherTenantPage tenant={tenant} />
		</UnlessSuspended>
	);
}

function isMemberOf(memberships: ReadonlyArray<{ slug: string; status: string }>, tenant: string): boolean {
	return memberships.some(({ slug, status }) => slug === tenant && status === "active");
}

/** Redirects to the sign-on service, once. */
function Leave({ tenant }: { tenant: string | undefined }) {
	const client = useClient();
	const isLeaving = useRef(false);
	useEffect(() => {
		if (isLeaving.current) return;
		isLeaving.current = true;
		leave(client, tenant).catch(reportError);
	}, [client, tenant]);
	return <LoadingPage />;
}
