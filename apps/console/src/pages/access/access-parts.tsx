import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "../../frame/page.tsx";
import { useTexts } from "../../texts/texts.ts";
import { holds, type ServicePlace } from "./access.queries.ts";
import { useAccessTexts } from "./texts.ts";

const link =
	"flex min-h-11 items-center border-b-2 border-transparent px-1 text-link hover:border-edge aria-[current=page]:border-link aria-[current=page]:font-semibold aria-[current=page]:text-ink";

type Parts = {
	place: ServicePlace;
	rights: ReadonlySet<string>;
	actions?: ReactNode;
	children: ReactNode;
};

/** The pages about the access of a service: its roles, and its people. */
export function AccessParts({ place, rights, actions, children }: Parts) {
	const words = useAccessTexts();
	const { products } = useTexts();
	const { service, slug } = place;
	const name = products[service];
	return (
		<Page title={words.rolesOf(name)} lead={words.rolesLead(name)} actions={actions}>
			<nav aria-label={words.parts} className="mb-6 flex flex-wrap gap-x-6 border-b border-hair">
				<Link
					to="/$slug/access/$service"
					params={{ slug, service }}
					activeOptions={{ exact: true }}
					className={link}
				>
					{words.roles}
				</Link>
				{holds(rights, `${service}.users.view`) && (
					<Link to="/$slug/access/$service/people" params={{ slug, service }} className={link}>
						{words.people}
					</Link>
				)}
				<Link
					to="/$slug/access"
					params={{ slug }}
					activeOptions={{ exact: true }}
					className={`${link} ml-auto`}
				>
					{words.backToServices}
				</Link>
			</nav>
			{children}
		</Page>
	);
}
