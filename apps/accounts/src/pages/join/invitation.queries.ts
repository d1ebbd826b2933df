import { ClientError } from "@lango/client";
import type { InvitationPreview } from "@lango/contracts";
import { queryOptions } from "@tanstack/react-query";
import { post } from "../../session/request.ts";

/** What an invitation is for, by the value of its link. */
export function invitationQuery(authUrl: string, invitation: string | undefined) {
	return queryOptions({
		queryKey: ["invitation", authUrl, invitation],
		queryFn: async () =>
			(await post(`${authUrl}/api/v1/auth/invitation`, { invitation })) as InvitationPreview,
		enabled: invitation !== undefined,
		staleTime: Number.POSITIVE_INFINITY,
		retry: false,
	});
}

/** Whether the link is used, expired or withdrawn, or incomplete. */
export const isInvitationInvalid = (error: Error | null): boolean =>
	error instanceof ClientError && (error.code === "invitation_invalid" || error.code === "invalid_input");
