/// The names of XCUIElement.ElementType, in the order of its raw values: the position is the number.
public enum ElementType {
    /// Matches every type.
    public static let any = "Any"

    public static let names: [String] = """
        Any Other Application Group Window Sheet Drawer Alert Dialog Button RadioButton RadioGroup CheckBox \
        DisclosureTriangle PopUpButton ComboBox MenuButton ToolbarButton Popover Keyboard Key NavigationBar TabBar \
        TabGroup Toolbar StatusBar Table TableRow TableColumn Outline OutlineRow Browser CollectionView Slider \
        PageIndicator ProgressIndicator ActivityIndicator SegmentedControl Picker PickerWheel Switch Toggle Link Image \
        Icon SearchField ScrollView ScrollBar StaticText TextField SecureTextField DatePicker TextView Menu MenuItem \
        MenuBar MenuBarItem Map WebView IncrementArrow DecrementArrow Timeline RatingIndicator ValueIndicator \
        SplitGroup Splitter RelevanceIndicator ColorWell HelpTag Matte DockItem Ruler RulerMarker Grid LevelIndicator \
        Cell LayoutArea LayoutItem Handle Stepper Tab TouchBar StatusItem
        """.split(separator: " ").map(String.init)

    private static let numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, UInt($0)) })

    /// The raw value of a name, in that case; nil if there is no such type.
    public static func number(of name: String) -> UInt? { numbers[name] }

    /// The name of a raw value; types newer than this list are Unknown.
    public static func name(of number: UInt) -> String {
        number < UInt(names.count) ? names[Int(number)] : "Unknown"
    }
}
