import type { InvitationPreview, Joined } from "@lango/contracts";
import { Button, buttonLook, Notice } from "@lango/interface";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { applicationAddress } from "../../session/application.ts";
import type { Me } from "../../session/me.ts";
import { clearFragment, readFragment } from "../../session/read-fragment.ts";
import { requestSignedIn } from "../../session/request-signed-in.ts";
import { returnAddress } from "../../session/return-to.ts";
import { signOut } from "../../session/sign-out.ts";
import { useSettings } from "../../settings.ts";
import { useTexts } from "../../texts/texts.ts";
import { ErrorPage } from "../error-page.tsx";
import type { Entered } from "../form/entered.ts";
import { SentForm } from "../form/sent-form.tsx";
import { GateFrame } from "../gate-frame.tsx";
import { NoticePage } from "../notice-page.tsx";
import { SignedInOnly } from "../signed-in-only.tsx";
import { BadInvitation } from "./bad-invitation.tsx";
import { invitationQuery, isInvitationInvalid } from "./invitation.queries.ts";
import { InvitationLead } from "./invitation-lead.tsx";
import { JoinFields } from "./join-fields.tsx";

const route = getRouteApi("/join");

/**
 * `/join?return_to=…#invitation=…`: a registered person joins another tenant, by an invitation or a join
 * request.
 */
export function JoinPage() {
	const [invitation] = useState(() => readFragment("invitation"));
	return (
		<SignedInOnly>
			{(me) => (invitation === undefined ? <Join /> : <Invited me={me} value={invitation} />)}
		</SignedInOnly>
	);
}

/** Joins a tenant. `onJoined` gets the answer. */
function useJoining(onJoined: (joined: Joined) => void = () => {}) {
	const { authUrl } = useSettings();
	const queries = useQueryClient();
	return useMutation({
		mutationFn: async (body: Readonly<Record<string, string | undefined>>) =>
			(await requestSignedIn(authUrl, "/api/v1/auth/join", { method: "POST", body })) as Joined,
		onSuccess: async (joined) => {
			onJoined(joined);
			await queries.invalidateQueries({ queryKey: ["me"] });
		},
	});
}

function Join() {
	const { join: words } = useTexts();
	const attempt = useJoining();
	if (attempt.data !== undefined) return <Done title={words.title} joined={attempt.data} />;
	const send = ({ tenant_slug, requested_role }: Entered) => attempt.mutate({ tenant_slug, requested_role });
	return (
		<GateFrame title={words.title} announce>
			<p className="mt-3 text-quiet">{words.lead}</p>
			<SentForm
				submit={words.submit}
				submitting={words.submitting}
				required={["tenant_slug"]}
				isBusy={attempt.isPending}
				failure={attempt.error}
				onSubmit={send}
			>
				{(validity) => <JoinFields validity={validity} slug="" />}
			</SentForm>
			<BackLink />
		</GateFrame>
	);
}

function Invited({ me, value }: { me: Me; value: string }) {
	const { authUrl } = useSettings();
	const { opening, profile } = useTexts();
	const found = useQuery(invitationQuery(authUrl, value));
	if (isInvitationInvalid(found.error)) return <BadInvitation />;
	if (found.error !== null) return <ErrorPage failure={found.error} onRetry={() => found.refetch()} />;
	if (found.data === undefined) return <NoticePage title={opening.title} text={profile.loading} />;
	return <Acceptance me={me} value={value} invitation={found.data} />;
}

type Acceptance = { me: Me; value: string; invitation: InvitationPreview };

/**
 * After the acceptance that opens where the link of the invitation pointed, otherwise the console of the
 * organisation: its sign-in needs no password here.
 */
function Acceptance({ me, value, invitation }: Acceptance) {
	const settings = useSettings();
	const { invitation: words, join, profile } = useTexts();
	const { return_to } = route.useSearch();
	const attempt = useJoining(({ tenant }) => {
		clearFragment();
		const next = returnAddress(return_to, settings) ?? applicationAddress(settings, tenant.slug);
		// It takes the place of this page: "back" does not show the sent form.
		if (next !== undefined) location.replace(next);
	});
	const title = words.title(invitation.tenant_name);
	if (attempt.data !== undefined) return <Done title={title} joined={attempt.data} />;
	const isOwn = me.email.toLowerCase() === invitation.email.toLowerCase();
	return (
		<GateFrame title={title} announce>
			<InvitationLead invitation={invitation} />
			{isOwn ? (
				<SentForm
					submit={join.accept}
					submitting={join.submitting}
					required={[]}
					isBusy={attempt.isPending}
					failure={attempt.error}
					onSubmit={() => attempt.mutate({ invitation: value })}
				>
					{() => null}
				</SentForm>
			) : (
				<div className="mt-6 grid justify-items-start gap-4">
					<Notice kind="warning">{words.otherAccount(invitation.email, me.email)}</Notice>
					<Button onClick={() => signOut(settings.authUrl)}>{profile.signOut}</Button>
				</div>
			)}
			<BackLink />
		</GateFrame>
	);
}

/** The result of joining, with a link to work there. */
function Done({ title, joined: { tenant, status } }: { title: string; joined: Joined }) {
	const settings = useSettings();
	const { join: words, profile } = useTexts();
	const isActive = status === "active";
	const next = isActive ? applicationAddress(settings, tenant.slug) : undefined;
	const text = isActive ? words.joined(tenant.name) : words.waits(tenant.name);
	return (
		<NoticePage title={title} text={text} gate={isActive ? "open" : "closed"}>
			{next !== undefined && (
				<a href={next} className={buttonLook("action")}>
					{words.open(tenant.name)}
				</a>
			)}
			<Link to="/profile" className={buttonLook("plain")}>
				{profile.back}
			</Link>
		</NoticePage>
	);
}

function BackLink() {
	const { profile } = useTexts();
	return (
		<Link to="/profile" className={`${buttonLook("quiet")} mt-4`}>
			{profile.back}
		</Link>
	);
}
