package game

// The answer of the API with a card of either store.
type (
	// gameCard is a card of either store.
	gameCard struct {
		ID          string `json:"id"`   // console store
		Slug        string `json:"slug"` // PC store
		Platform    string `json:"platform"`
		Title       string `json:"title"`
		Description string `json:"description"`
		Type        string `json:"type"`
		Thumbnail   string `json:"thumbnail"`
		Images      struct {
			Cover string `json:"cover"`
		} `json:"images"`
		ReleaseDate string   `json:"releaseDate"`
		Publisher   string   `json:"publisher"`
		Developer   string   `json:"developer"`
		Genres      []string `json:"genres"`
		Rating      struct {
			Age    string `json:"age"`
			System string `json:"system"`
		} `json:"rating"`
		StoreURL string     `json:"storeUrl"`
		Variants []cardLine `json:"variants"`
		Related  []cardLine `json:"related"`
		Offers   []cardLine `json:"offers"`
		Details  struct {
			EditionName string   `json:"editionName"`
			Platforms   []string `json:"platforms"`
		} `json:"details"`
	}

	// cardLine is a variant, a related card or an offer.
	cardLine struct {
		ID    string `json:"id"`
		Title string `json:"title"`
		Type  string `json:"type"`
	}
)
