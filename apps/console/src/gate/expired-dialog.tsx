import { useClient, useClientState } from "@lango/client/react";
import { Button, Dialog } from "@lango/interface";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTexts } from "../texts/texts.ts";
import { useGateTexts } from "./texts.ts";

/** The size of a window for the sign-in page, in pixels. */
const popup = "popup,width=520,height=780";

/**
 * Shown over a page whose session has expired. The sign-in is in a window of its own, so that the page keeps
 * what was entered; it continues as soon as the person is signed in, here or in another tab.
 */
export function ExpiredDialog() {
	const client = useClient();
	const state = useClientState();
	const { expired } = useGateTexts();
	const { signIn, signOut } = useTexts();
	const slug = state.status === "ready" && state.isExpired ? state.profile.tenantSlug : undefined;
	useRefetch(slug === undefined);
	if (slug === undefined) return null;
	const actions = (
		<>
			<Button onClick={() => void client.signOut()}>{signOut}</Button>
			<Button kind="action" onClick={() => open(`/${slug}/signed-in-again`, "_blank", popup)}>
				{signIn}
			</Button>
		</>
	);
	return (
		<Dialog title={expired.title} isBusy onClose={() => {}} actions={actions}>
			{expired.text}
		</Dialog>
	);
}

/** Repeats what failed while the session was expired. */
function useRefetch(isValid: boolean): void {
	const queries = useQueryClient();
	useEffect(() => {
		if (isValid) void queries.refetchQueries({ predicate: ({ state }) => state.status === "error" });
	}, [queries, isValid]);
}
