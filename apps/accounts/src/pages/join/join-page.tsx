import type { Joined } from "@lango/contracts";
import { buttonLook } from "@lango/interface";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { askSignedIn } from "../../session/ask-signed-in.ts";
import type { Me } from "../../session/me.ts";
import { useSettings } from "../../settings.ts";
import { useTexts } from "../../texts/texts.ts";
import type { Entered } from "../form/entered.ts";
import { SentForm } from "../form/sent-form.tsx";
import { GateFrame } from "../gate-frame.tsx";
import { NoticePage } from "../notice-page.tsx";
import { SignedInOnly } from "../signed-in-only.tsx";
import { JoinFields } from "./join-fields.tsx";

/** Somebody who is registered comes into one more tenant: by an invitation, or by asking. */
export function JoinPage() {
	return <SignedInOnly>{(me) => <Join me={me} />}</SignedInOnly>;
}

function Join({ me }: { me: Me }) {
	const { authUrl } = useSettings();
	const { join: words, profile } = useTexts();
	const queries = useQueryClient();
	const { invitation } = useLocation().state;
	const [isFresh] = useState(invitation !== undefined);
	const attempt = useMutation({
		mutationFn: async (entered: Entered) => {
			const body =
				invitation === undefined
					? { tenant_slug: entered.tenant_slug, requested_role: entered.requested_role }
					: { invitation };
			return (await askSignedIn(authUrl, "/api/v1/auth/join", { method: "POST", body })) as Joined;
		},
		onSuccess: () => queries.invalidateQueries({ queryKey: ["me"] }),
	});

	const title = isFresh ? words.invitedTitle : words.title;
	if (attempt.data !== undefined) {
		const { tenant, status } = attempt.data;
		const text = status === "active" ? words.joined(tenant.name) : words.waits(tenant.name);
		return (
			<NoticePage title={title} text={text} gate={status === "active" ? "open" : "closed"}>
				<Link to="/profile" className={buttonLook("plain")}>
					{profile.back}
				</Link>
			</NoticePage>
		);
	}
	return (
		<GateFrame title={title} announce>
			<p className="mt-3 text-quiet">{isFresh ? words.invitedLead(me.email) : words.lead}</p>
			<SentForm
				submit={isFresh ? words.accept : words.submit}
				submitting={words.submitting}
				required={isFresh ? [] : ["tenant_slug"]}
				isBusy={attempt.isPending}
				fault={attempt.error}
				onSubmit={(entered) => attempt.mutate(entered)}
			>
				{(faulty) => !isFresh && <JoinFields faulty={faulty} slug="" />}
			</SentForm>
			<Link to="/profile" className={`${buttonLook("quiet")} mt-4`}>
				{profile.back}
			</Link>
		</GateFrame>
	);
}
