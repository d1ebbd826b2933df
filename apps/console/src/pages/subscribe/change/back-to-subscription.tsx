import { buttonLook } from "@lango/interface";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useChangeTexts } from "./texts.ts";

const route = getRouteApi("/$slug/subscribe/change");

/** The link back without a change. */
export function BackToSubscription() {
	const { slug } = route.useParams();
	const words = useChangeTexts();
	return (
		<p className="mt-6">
			<Link to="/$slug/subscribe" params={{ slug }} className={buttonLook("quiet")}>
				{words.back}
			</Link>
		</p>
	);
}
