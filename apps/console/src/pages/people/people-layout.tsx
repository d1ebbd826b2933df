import { useMayDo } from "@lango/client/react";
import { buttonLook } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { usePlatform } from "../../platform.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import { InviteDialog } from "./invite-dialog.tsx";
import { waitingQuery } from "./people.queries.ts";
import { usePeopleTexts } from "./texts.ts";

const link =
	"flex min-h-11 items-center gap-2 border-b-2 border-transparent px-1 text-link hover:border-edge aria-[current=page]:border-link aria-[current=page]:font-semibold aria-[current=page]:text-ink";

/** The layout of the people pages: members, invitations and join requests. Each has a button to invite. */
export function PeopleLayout({ slug, children }: { slug: string; children: ReactNode }) {
	const words = usePeopleTexts();
	const tenant = useTenant();
	const mayChange = useMayDo("auth.users.change");
	const waiting = useQuery(waitingQuery(usePlatform(), slug)).data;
	const [isInviting, setInviting] = useState(false);
	const action = mayChange && (
		<button
			type="button"
			aria-haspopup="dialog"
			className={buttonLook("action")}
			onClick={() => setInviting(true)}
		>
			{words.invite}
		</button>
	);
	const params = { slug };
	return (
		<Page title={words.title} lead={words.lead(tenant?.name ?? slug)} actions={action}>
			<nav aria-label={words.parts} className="mb-6 flex flex-wrap gap-x-6 border-b border-hair">
				<Link to="/$slug/people" params={params} activeOptions={{ exact: true }} className={link}>
					{words.members}
				</Link>
				<Link to="/$slug/people/invitations" params={params} className={link}>
					{words.invitations}
				</Link>
				<Link to="/$slug/people/waiting" params={params} className={link}>
					{words.waiting}
					{waiting !== undefined && waiting !== "0" && (
						<Badge kind="warning">
							<span aria-hidden="true">{waiting}</span>
							<span className="sr-only">{words.waitingCount(waiting)}</span>
						</Badge>
					)}
				</Link>
			</nav>
			{children}
			{isInviting && <InviteDialog slug={slug} onClose={() => setInviting(false)} />}
		</Page>
	);
}
